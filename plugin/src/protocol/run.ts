import { create, createFileRegistry, type DescFile, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  type CodeGeneratorResponse,
  CodeGeneratorResponse_FileSchema,
  CodeGeneratorResponseSchema,
  Edition,
  CodeGeneratorResponse_Feature as Feature,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { type Generated, generate } from "../generate.ts";
import { ParameterError, parseParameter } from "./parameter.ts";

/**
 * A request that does not follow the plugin protocol. It is a fault of the compiler, not of the .proto files, and
 * goes to standard error with a non-zero exit.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/**
 * Answers one CodeGeneratorRequest with a CodeGeneratorResponse, both encoded. Faults of the .proto files and of
 * the options are in the response's `error`; `warnings` are for standard error.
 *
 * @throws ProtocolError
 */
export function runPlugin(input: Uint8Array): {
  readonly response: Uint8Array;
  readonly warnings: readonly string[];
} {
  const result = answer(decode(input));
  return {
    response: toBinary(CodeGeneratorResponseSchema, respond(result)),
    warnings: result.error === undefined ? result.warnings : [],
  };
}

function decode(input: Uint8Array): CodeGeneratorRequest {
  if (input.length === 0)
    throw new ProtocolError(
      "no CodeGeneratorRequest on standard input; this program is run by buf or protoc",
    );
  try {
    return fromBinary(CodeGeneratorRequestSchema, input);
  } catch (error) {
    throw new ProtocolError(
      `standard input is no CodeGeneratorRequest: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function respond(result: Generated): CodeGeneratorResponse {
  const response = create(CodeGeneratorResponseSchema, {
    supportedFeatures: BigInt(Feature.PROTO3_OPTIONAL | Feature.SUPPORTS_EDITIONS),
    minimumEdition: Edition.EDITION_PROTO2,
    maximumEdition: Edition.EDITION_2024,
  });
  if (result.error !== undefined) return { ...response, error: result.error };
  response.file = result.files.map(({ path, content }) =>
    create(CodeGeneratorResponse_FileSchema, { name: path, content }),
  );
  return response;
}

function answer(request: CodeGeneratorRequest): Generated {
  const files = filesToGenerate(request);
  try {
    return generate(files, parseParameter(request.parameter));
  } catch (error) {
    if (error instanceof ParameterError) return { error: error.message };
    throw error;
  }
}

function filesToGenerate(request: CodeGeneratorRequest): DescFile[] {
  const registry = registryOf(request);
  return request.fileToGenerate.map((name) => {
    const file = registry.getFile(name);
    if (file === undefined)
      throw new ProtocolError(`file_to_generate names ${name}, which is not in proto_file`);
    return file;
  });
}

function registryOf(request: CodeGeneratorRequest): ReturnType<typeof createFileRegistry> {
  // where given, these carry the options of source retention too
  const sources = new Map(request.sourceFileDescriptors.map((file) => [file.name, file]));
  const file = request.protoFile.map((proto) => sources.get(proto.name) ?? proto);
  try {
    return createFileRegistry(create(FileDescriptorSetSchema, { file }));
  } catch (error) {
    throw new ProtocolError(`proto_file is not complete: ${error instanceof Error ? error.message : error}`);
  }
}
