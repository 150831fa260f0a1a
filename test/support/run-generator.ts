/** Runs the adapter generator on .proto sources, as a compiler does. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  type CodeGeneratorResponse,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import { runPlugin } from "../../plugin/src/index.ts";

/** The generated files by name, or the error text. */
export interface GeneratorResult {
  readonly files: Readonly<Record<string, string>>;
  readonly error: string;
  readonly warnings: readonly string[];
  readonly response: CodeGeneratorResponse;
}

/** Applies changes to a request, and runs the generator on the changed request. */
export function runGenerator(
  request: CodeGeneratorRequest,
  change: Partial<Pick<CodeGeneratorRequest, "fileToGenerate" | "parameter" | "protoFile">> = {},
): GeneratorResult {
  const changed = create(CodeGeneratorRequestSchema, { ...request, ...change });
  const { response: bytes, warnings } = runPlugin(toBinary(CodeGeneratorRequestSchema, changed));
  const response = fromBinary(CodeGeneratorResponseSchema, bytes);
  const files = Object.fromEntries(response.file.map(({ name, content }) => [name, content]));
  return { files, error: response.error, warnings, response };
}
