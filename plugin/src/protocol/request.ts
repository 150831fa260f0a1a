import { create, createFileRegistry, type DescFile, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

import { pathFault } from "./output-path.ts";

/**
 * Thrown for a request that violates the plugin protocol. This is a fault of the compiler, not of the .proto
 * files. It is written to standard error, with a nonzero exit code.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/**
 * Decodes the input from the compiler.
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
 * Returns the files to generate code for.
 *
 * @throws ProtocolError if the request lacks a file or one of its imports, or if a file name is unsafe
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
 * Returns all files of a request.
 *
 * @throws ProtocolError if the request lacks an imported file
 */
export function registryOf(request: CodeGeneratorRequest): FileRegistry {
  // if present, these descriptors also include options with source retention
  const sources = new Map(request.sourceFileDescriptors.map((file) => [file.name, file]));
  const file = request.protoFile.map((proto) => sources.get(proto.name) ?? proto);
  try {
    return createFileRegistry(create(FileDescriptorSetSchema, { file }));
  } catch (error) {
    throw new ProtocolError(`proto_file is not complete: ${error instanceof Error ? error.message : error}`);
  }
}
