import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import type { RunResults } from "./report.ts";

/** A run of the benchmark, as saved in docs/performance.json. */
export interface Recording extends RunResults {
  readonly date: string;
  readonly node: string;
  readonly cpus: string;
  /** The one-minute load average when the run started. */
  readonly load: string;
}

const FILE = join(import.meta.dirname, "../docs/performance.json");

/** Describes the machine before a run. */
export function describeMachine(): Pick<Recording, "date" | "node" | "cpus" | "load"> {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cpus: `${cpus().length} processors`,
    load: (loadavg()[0] ?? 0).toFixed(1),
  };
}

/**
 * Writes docs/performance.json, which `npm run docs` renders, with four digits per figure. A run without
 * calls replaces only the figures of the measured parts.
 */
export function record(recording: Recording): void {
  const digits = (_: string, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(4)) : value;
  const isPart = recording.calls.length === 0;
  const whole = isPart ? withParts(JSON.parse(readFileSync(FILE, "utf8")), recording) : recording;
  writeFileSync(FILE, `${JSON.stringify(whole, digits, 2)}\n`);
}

/** Returns an earlier recording with the figures of the parts that a run has measured. */
export function withParts(earlier: Recording, run: Recording): Recording {
  const measured = Object.entries(run).filter(([, value]) => Array.isArray(value) && value.length > 0);
  return { ...earlier, ...Object.fromEntries(measured) };
}
