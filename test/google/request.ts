/** What a compiler asks generators for, made of parts of the image. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { ImageFile } from "./image.ts";

/** Options of our generator for Google's APIs: some of their methods have no REST call. */
export const ADAPTER_OPTIONS = "target=ts,import_extension=ts,unsupported=skip";
/** Options of our generator for adapters that are compiled and run. */
export const SAMPLE_OPTIONS = "target=ts+js,import_extension=js,unsupported=skip";
/** Options of protoc-gen-es for the messages beside them. */
export const MESSAGE_OPTIONS = "target=js+dts,import_extension=js";

/** Field numbers of google.protobuf.compiler.CodeGeneratorRequest. */
const [FILE_TO_GENERATE, PARAMETER, PROTO_FILE] = [1, 2, 15];

/**
 * An encoded CodeGeneratorRequest for all files but those of google.protobuf,
 * which have a package of their own.
 *
 * @param files each behind the files that it imports
 * @param toGenerate names of the files, in the order in which they are asked for
 */
export function encodeRequest(
  files: readonly ImageFile[],
  parameter: string,
  toGenerate: readonly string[] = namesToGenerate(files),
): Uint8Array {
  const writer = new BinaryWriter();
  for (const name of toGenerate) writer.tag(FILE_TO_GENERATE, WireType.LengthDelimited).string(name);
  writer.tag(PARAMETER, WireType.LengthDelimited).string(parameter);
  for (const { bytes } of files) writer.tag(PROTO_FILE, WireType.LengthDelimited).bytes(bytes);
  return writer.finish();
}

/** The files that code is generated for. */
export function namesToGenerate(files: readonly ImageFile[]): string[] {
  return files.map(({ name }) => name).filter((name) => !name.startsWith("google/protobuf/"));
}
