/** Encodes the requests that compilers send to generators, from parts of the image. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { ImageFile } from "./image.ts";

/** The options of our generator for Google's APIs. Some methods of these APIs have no HTTP rule. */
export const ADAPTER_OPTIONS = "target=ts,import_extension=ts,unsupported=skip";
/** The options of our generator for adapters that tests compile and run. */
export const SAMPLE_OPTIONS = "target=ts+js,import_extension=js,unsupported=skip";
/** The options of protoc-gen-es for the corresponding messages. */
export const MESSAGE_OPTIONS = "target=js+dts,import_extension=js";

/** Field numbers of google.protobuf.compiler.CodeGeneratorRequest. */
const [FILE_TO_GENERATE, PARAMETER, PROTO_FILE] = [1, 2, 15];

/**
 * Encodes a CodeGeneratorRequest for all files except google.protobuf's, which have a separate package.
 *
 * @param files files, each after its imports
 * @param toGenerate names of the requested files, in the requested order
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

/** Returns the names of the files to generate. */
export function namesToGenerate(files: readonly ImageFile[]): string[] {
  return files.map(({ name }) => name).filter((name) => !name.startsWith("google/protobuf/"));
}
