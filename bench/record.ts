import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import type { RunResults } from "./report.ts";

/** A run of the benchmark, as docs/performance.json keeps it. */
export interface Recording extends RunResults {
  readonly date: string;
  readonly node: string;
  readonly cpus: string;
  /** The load average of a minute, at the start. */
  readonly load: string;
}

const FILE = join(import.meta.dirname, "../docs/performance.json");

/** What is known before a run. */
export function describeMachine(): Pick<Recording, "date" | "node" | "cpus" | "load"> {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cpus: `${cpus().length} processors`,
    load: (loadavg()[0] ?? 0).toFixed(1),
  };
}

/** Writes docs/performance.json, with four digits of each figure; `npm run docs` draws the page from it. */
export function record(recording: Recording): void {
  const digits = (_: string, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(4)) : value;
  writeFileSync(FILE, `${JSON.stringify(recording, digits, 2)}\n`);
}
