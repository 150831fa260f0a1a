import type { Finding, Verification } from "./finding.ts";

/** The maximum number of lines of each list. */
const MAX_LINES = 200;
const MAX_UNCOVERED = 20;

/** The findings to report, and the number of findings that a baseline accepts. */
export interface Report extends Verification {
  readonly accepted: number;
}

/** Returns a report as text. */
export function reportText(report: Report): string {
  return [...findingLines(report), ...recordingLines(report), ...coverageLines(report), summary(report)].join(
    "\n",
  );
}

function findingLines({ findings, omitted }: Report): string[] {
  const lines: string[] = [];
  let operation = "";
  for (const finding of findings.slice(0, MAX_LINES)) {
    if (finding.operation !== operation) {
      lines.push(`${finding.operation}, ${counted(finding.samples, "sample")}`);
    }
    operation = finding.operation;
    lines.push(...linesOf(finding));
  }
  const more = findings.length - Math.min(findings.length, MAX_LINES) + omitted;
  if (more > 0) lines.push(`${counted(more, "more difference")}; --format json lists them`);
  return lines.length === 0 ? [] : [...lines, ""];
}

function linesOf(finding: Finding): string[] {
  const { in: place, class: as, path, file, declaration, count, samples } = finding;
  const where = place === "request" ? `request: ${path}` : path;
  return [
    `  ${as.padEnd(10)} ${where}: ${sentence(finding)}, in ${share(count, samples)}`,
    `  ${"".padEnd(10)} ${file}: ${declaration}`,
  ];
}

/** Returns the expected and the received type. */
export function sentence({ expected, got, length }: Finding): string {
  const range = length === undefined ? "" : ` of length ${rangeText(length)}`;
  return `expected ${expected}, got ${got}${range}`;
}

function rangeText({ least, most }: NonNullable<Finding["length"]>): string {
  return least === most ? String(least) : `${least} to ${most}`;
}

/** Returns the share of samples: `3 of 40 samples (8 %)`. */
export function share(count: number, samples: number): string {
  return `${count} of ${counted(samples, "sample")} (${Math.round((count / Math.max(samples, 1)) * 100)} %)`;
}

function recordingLines(report: Report): string[] {
  const lists = [
    ["Entries without a comparable response", report.skipped],
    ["Exchanges of other hosts", report.otherHosts],
    ["Exchanges that no operation describes", report.unknown],
    ["Exchanges that several operations describe", report.overlapping],
  ] as const;
  return lists.flatMap(([title, counts]) => {
    if (counts.size === 0) return [];
    return [`${title}:`, ...[...counts].map(([name, count]) => `  ${count} × ${name}`), ""];
  });
}

function coverageLines({ uncovered }: Report): string[] {
  const lists = [
    ["Operations", uncovered.operations],
    ["Fields", uncovered.fields],
    ["Enum values", uncovered.enumValues],
    ["Error reasons", uncovered.reasons],
  ] as const;
  return lists.flatMap(([title, names]) => {
    if (names.length === 0) return [];
    const more = names.length - MAX_UNCOVERED;
    const rest = more > 0 ? [`  and ${more} more; --format json lists them`] : [];
    const shown = names.slice(0, MAX_UNCOVERED).map((name) => `  ${name}`);
    return [`${title} that no recording contains (${names.length}):`, ...shown, ...rest, ""];
  });
}

function summary({ findings, omitted, exchanges, operations, accepted, uncovered }: Report): string {
  const compared = [...operations.values()].reduce((sum, count) => sum + count, 0);
  const all = operations.size + uncovered.operations.length;
  const known = accepted === 0 ? "" : `, and ${counted(accepted, "difference")} of the baseline`;
  return [
    `Compared ${compared} of ${counted(exchanges, "exchange")}, of ${operations.size} of ${counted(all, "operation")}: `,
    `${counted(findings.length + omitted, "difference")}${known}.`,
  ].join("");
}

/** Returns a number with its noun: `1 sample`, `2 samples`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
