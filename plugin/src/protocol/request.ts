import { create, createFileRegistry, type DescFile, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

import { pathFault } from "./output-path.ts";

/**
 * A request that does not follow the plugin protocol. It is a fault of the compiler, not of the .proto files,
 * and goes to standard error with a non-zero exit.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/**
 * Decodes what the compiler wrote to standard input.
 *
 * @throws ProtocolError
 */
export function decodeRequest(input: Uint8Array): CodeGeneratorRequest {
  if (input.length === 0) {
    throw new ProtocolError(
      "no CodeGeneratorRequest on standard input; this program is run by buf or protoc",
    );
  }
  try {
    return fromBinary(CodeGeneratorRequestSchema, input);
  } catch (error) {
    throw new ProtocolError(
      `standard input is no CodeGeneratorRequest: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/**
 * The files that code is to be generated for.
 *
 * @throws ProtocolError where the request lacks one, or a file that it imports,
 * and where a name leads elsewhere
 */
export function filesToGenerate(request: CodeGeneratorRequest, registry = registryOf(request)): DescFile[] {
  return request.fileToGenerate.map((name) => {
    const file = registry.getFile(name);
    if (file === undefined) {
      throw new ProtocolError(`file_to_generate names ${name}, which is not in proto_file`);
    }
    const fault = pathFault(name);
    if (fault !== undefined) {
      throw new ProtocolError(`file_to_generate names ${name}, for which no file can be written: ${fault}`);
    }
    return file;
  });
}

/**
 * All files of a request.
 *
 * @throws ProtocolError where it lacks a file that another imports
 */
export function registryOf(request: CodeGeneratorRequest): FileRegistry {
  // where given, these carry the options of source retention too
  const sources = new Map(request.sourceFileDescriptors.map((file) => [file.name, file]));
  const file = request.protoFile.map((proto) => sources.get(proto.name) ?? proto);
  try {
    return createFileRegistry(create(FileDescriptorSetSchema, { file }));
  } catch (error) {
    throw new ProtocolError(`proto_file is not complete: ${error instanceof Error ? error.message : error}`);
  }
}
