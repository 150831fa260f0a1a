import { readFileSync } from "node:fs";
import { clone, type DescFile } from "@bufbuild/protobuf";
import { type CodeGeneratorRequest, CodeGeneratorRequestSchema } from "@bufbuild/protobuf/wkt";
import { applyRules } from "./config/apply.ts";
import { parseServiceConfig } from "./config/service-config.ts";
import { Problems } from "./diagnostics/problem.ts";
import type { Options } from "./protocol/options.ts";
import { filesToGenerate, registryOf } from "./protocol/request.ts";

/** The input of a generator. */
export interface Input {
  /** The files to generate code for. Their options include the rules of service configs. */
  readonly files: readonly DescFile[];
  /** The problems of the service configs. */
  readonly problems: Problems;
}

/**
 * Reads all input of a run: the request, and the service configs that its options name.
 *
 * @throws ProtocolError if the request is incomplete
 */
export function readInput(request: CodeGeneratorRequest, { serviceConfigs }: Options): Input {
  const problems = new Problems();
  if (serviceConfigs.length === 0) return { files: filesToGenerate(request), problems };
  const rules = serviceConfigs.flatMap((path) => {
    const text = readConfig(path, problems);
    return text === undefined ? [] : parseServiceConfig(path, text, problems);
  });
  // a copy, because options are written into its descriptors
  const own = clone(CodeGeneratorRequestSchema, request);
  const registry = registryOf(own);
  const files = filesToGenerate(own, registry);
  applyRules(rules, registry.files, problems);
  return { files, problems };
}

function readConfig(path: string, problems: Problems): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.addAt(
      { file: path, line: 1, column: 1 },
      "config-file",
      `the service config cannot be read: ${reason}`,
    );
    return undefined;
  }
}
