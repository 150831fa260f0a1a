import { create, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  type CodeGeneratorResponse,
  CodeGeneratorResponse_FileSchema,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import { oneLine } from "./diagnostics/one-line.ts";
import { type Generated, generate } from "./generate.ts";
import { readInput } from "./input.ts";
import type { RunResult } from "./protocol/executable.ts";
import { ParameterError, parseParameter } from "./protocol/parameter.ts";
import { decodeRequest } from "./protocol/request.ts";
import { emptyResponse } from "./protocol/response.ts";

/**
 * Responds to an encoded CodeGeneratorRequest with an encoded CodeGeneratorResponse. Faults in the .proto
 * files and the options are in the `error` of the response; `warnings` are for standard error.
 *
 * @throws ProtocolError
 */
export function runPlugin(input: Uint8Array): RunResult {
  const result = generateFrom(decodeRequest(input));
  return {
    response: toBinary(CodeGeneratorResponseSchema, responseOf(result)),
    warnings: result.error === undefined ? result.warnings : [],
  };
}

function responseOf(result: Generated): CodeGeneratorResponse {
  const response = emptyResponse();
  if (result.error !== undefined) return { ...response, error: result.error };
  response.file = result.files.map(({ path, content }) =>
    create(CodeGeneratorResponse_FileSchema, { name: path, content }),
  );
  return response;
}

function generateFrom(request: CodeGeneratorRequest): Generated {
  try {
    const options = parseParameter(request.parameter);
    const { files, problems } = readInput(request, options);
    return generate(files, options, problems);
  } catch (error) {
    if (error instanceof ParameterError) return { error: oneLine(error.message) };
    throw error;
  }
}
