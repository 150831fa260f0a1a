import { create, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  type CodeGeneratorResponse,
  CodeGeneratorResponse_FileSchema,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import { generate } from "../generate.ts";
import { ParameterError, parseParameter } from "./parameter.ts";
import { decodeRequest, filesToGenerate } from "./request.ts";
import { emptyResponse } from "./response.ts";

/**
 * Answers one CodeGeneratorRequest with a CodeGeneratorResponse, both encoded. Faults of the .proto files and of
 * the options are in the response's `error`.
 *
 * @throws ProtocolError
 */
export function runPlugin(input: Uint8Array): Uint8Array {
  return toBinary(CodeGeneratorResponseSchema, respond(decodeRequest(input)));
}

function respond(request: CodeGeneratorRequest): CodeGeneratorResponse {
  const response = emptyResponse();
  const result = answer(request);
  if (result.error !== undefined) return { ...response, error: result.error };
  response.file = result.files.map(({ path, content }) =>
    create(CodeGeneratorResponse_FileSchema, { name: path, content }),
  );
  return response;
}

function answer(request: CodeGeneratorRequest): ReturnType<typeof generate> {
  const files = filesToGenerate(request);
  try {
    return generate(files, parseParameter(request.parameter));
  } catch (error) {
    if (error instanceof ParameterError) return { error: error.message };
    throw error;
  }
}
