import path from "node:path";
import { prepareDryRun } from "../config/inspect.ts";
import { compileProblem, writeAll } from "../suggest/apply.ts";
import { ProtoFiles } from "../suggest/proto-files.ts";
import { Samples } from "../suggest/samples.ts";
import { type Suggestion, suggest as suggested } from "../suggest/suggestion.ts";
import { RecordingError } from "../verify/exchange.ts";
import { messagesBelow } from "../verify/object-fields.ts";
import { exchangesIn } from "../verify/recordings.ts";
import { counted } from "../verify/report-text.ts";
import { Verifier } from "../verify/verify.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { printError, printText } from "./output.ts";

export interface SuggestOptions {
  readonly config: string;
  readonly proto?: readonly string[];
  readonly minSamples: number;
  readonly write?: boolean;
  readonly check: boolean;
}

/** The maximum number of declarations that a summary lists. */
const MAX_LISTED = 200;

/**
 * Runs `connect-rest suggest`: prints a patch of the `.proto` files that declares what recordings contain, or
 * applies it. Returns the exit status.
 */
export async function suggest(recordings: readonly string[], options: SuggestOptions): Promise<number> {
  const { adapters, upstreams } = await prepareDryRun(options.config, process.env);
  const folder = path.dirname(path.resolve(options.config));
  try {
    const samples = new Samples();
    const verifier = new Verifier(adapters, upstreams, samples);
    for (const recording of recordings) {
      for await (const exchange of exchangesIn(recording)) await verifier.add(exchange, Date.now());
    }
    const methods = adapters.flatMap((each) => Object.values(each.methods).map(({ method }) => method));
    const messages = messagesBelow(methods.flatMap(({ input, output }) => [input, output]));
    const files = new ProtoFiles(folder, options.proto);
    const { minSamples } = options;
    const suggestion = suggested(samples, verifier.result(), messages, {
      files,
      folder: process.cwd(),
      minSamples,
    });
    printSummary(suggestion);
    if (options.write !== true) {
      printText(suggestion.patches.map(({ diff }) => diff).join(""));
      return EXIT_STATUS.ok;
    }
    return write(suggestion, files, options.check);
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    printError(`error: ${error.message}`);
    return EXIT_STATUS.usage;
  }
}

function write({ patches }: Suggestion, files: ProtoFiles, isChecked: boolean): number {
  const problem = isChecked && patches.length > 0 ? compileProblem(patches, files) : undefined;
  if (problem !== undefined) {
    printError(`error: no file was written: ${problem}`);
    return EXIT_STATUS.failure;
  }
  writeAll(patches);
  for (const { path: file } of patches) printError(`wrote ${path.relative(process.cwd(), file)}`);
  if (patches.length > 0) {
    printError("next: npx buf generate, then npx connect-rest verify with the same recordings");
  }
  return EXIT_STATUS.ok;
}

function printSummary({ patches, fields, values, open }: Suggestion): void {
  for (const { declaration, reason } of open.slice(0, MAX_LISTED)) {
    printError(`not patched: ${declaration}: ${reason}`);
  }
  if (open.length > MAX_LISTED) printError(`not patched: ${open.length - MAX_LISTED} more declarations`);
  const changes = `${counted(fields, "field")} and ${counted(values, "enum value")}`;
  printError(`${changes} in ${counted(patches.length, "file")}; ${open.length} not patched`);
}
