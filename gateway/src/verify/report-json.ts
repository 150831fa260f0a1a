import type { Report } from "./report-text.ts";

/** Returns a report as JSON. */
export function reportJson(report: Report): string {
  const { findings, omitted, accepted, exchanges, uncovered } = report;
  const counts = (map: ReadonlyMap<string, number>) => Object.fromEntries(map);
  return JSON.stringify(
    {
      exchanges,
      operations: counts(report.operations),
      differences: findings,
      omitted,
      accepted,
      skipped: counts(report.skipped),
      otherHosts: counts(report.otherHosts),
      unknown: counts(report.unknown),
      overlapping: counts(report.overlapping),
      uncovered,
    },
    null,
    2,
  );
}
