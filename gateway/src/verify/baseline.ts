import { readFileSync } from "node:fs";
import { z } from "zod";
import { RecordingError } from "./exchange.ts";
import { type Finding, keyOf } from "./finding.ts";

const baselineSchema = z.object({
  version: z.literal(1),
  differences: z.array(
    z.object({
      operation: z.string(),
      in: z.enum(["request", "response"]),
      class: z.enum(["additional", "converted", "lost"]),
      path: z.string(),
      expected: z.string(),
      got: z.string(),
    }),
  ),
});

/**
 * Reads the keys of the differences that a baseline accepts.
 *
 * @throws RecordingError
 */
export function readBaseline(file: string): ReadonlySet<string> {
  try {
    const { differences } = baselineSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    return new Set(differences.map((each) => keyOf({ ...each, file: "", declaration: "" })));
  } catch (cause) {
    const problem = cause instanceof Error && "syscall" in cause ? cause.message : "it has another format";
    throw new RecordingError(
      `the baseline ${file} cannot be read: ${problem}; connect-rest verify --write-baseline ${file} writes it`,
    );
  }
}

/** Returns a baseline that accepts findings. */
export function baselineText(findings: readonly Finding[]): string {
  const differences = findings.map(({ operation, in: place, class: as, path, expected, got }) => {
    return { operation, in: place, class: as, path, expected, got };
  });
  return `${JSON.stringify({ version: 1, differences }, null, 2)}\n`;
}
