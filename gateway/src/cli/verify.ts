import { writeFileSync } from "node:fs";
import { prepareDryRun } from "../config/inspect.ts";
import { baselineText, readBaseline } from "../verify/baseline.ts";
import { RecordingError } from "../verify/exchange.ts";
import { keyOf } from "../verify/finding.ts";
import { exchangesIn } from "../verify/recordings.ts";
import { reportJson } from "../verify/report-json.ts";
import { reportJunit } from "../verify/report-junit.ts";
import { type Report, reportText } from "../verify/report-text.ts";
import { Verifier } from "../verify/verify.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { printError, printText } from "./output.ts";

export interface VerifyOptions {
  readonly config: string;
  readonly format: keyof typeof FORMATS;
  readonly baseline?: string;
  readonly writeBaseline?: string;
}

const FORMATS = { text: reportText, json: reportJson, junit: reportJunit };

/**
 * Runs `connect-rest verify`: compares recordings with the configured description, and prints the
 * differences. Returns the exit status.
 */
export async function verify(recordings: readonly string[], options: VerifyOptions): Promise<number> {
  const { adapters, upstreams } = await prepareDryRun(options.config, process.env);
  try {
    const accepted = options.baseline === undefined ? new Set() : readBaseline(options.baseline);
    const verifier = new Verifier(adapters, upstreams);
    for (const recording of recordings) {
      for await (const exchange of exchangesIn(recording)) await verifier.add(exchange, Date.now());
    }
    const result = verifier.result();
    if (options.writeBaseline !== undefined) {
      writeBaseline(options.writeBaseline, baselineText(result.findings));
    }
    const findings = result.findings.filter((finding) => !accepted.has(keyOf(finding)));
    const report: Report = { ...result, findings, accepted: result.findings.length - findings.length };
    printText(`${FORMATS[options.format](report).trimEnd()}\n`);
    const isClean = findings.length + result.omitted === 0 || options.writeBaseline !== undefined;
    return isClean ? EXIT_STATUS.ok : EXIT_STATUS.failure;
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    printError(`error: ${error.message}`);
    return EXIT_STATUS.usage;
  }
}

function writeBaseline(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new RecordingError(`the baseline ${file} cannot be written: ${problem}`);
  }
}
