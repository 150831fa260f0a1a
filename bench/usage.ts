import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { json, text } from "node:stream/consumers";

/** The resource usage of a program. */
export interface Usage {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The peak of resident memory, in MB. */
  readonly rssMb: number;
}

/** Runs a Node.js program in a separate process, and returns its resource usage. */
export async function usageOf(args: readonly string[], input: Uint8Array = new Uint8Array()): Promise<Usage> {
  const report = join(import.meta.dirname, "report-usage.ts");
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", report, ...args], {
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  child.stdin.end(input);
  // If the output were not read, the process would block.
  child.stdout.resume();
  const [taken, stderr, [code]] = await Promise.all([
    json(child.stdio[3] as Readable) as Promise<Omit<Usage, "wallMs">>,
    text(child.stderr),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${stderr}`);
  return { ...taken, wallMs: performance.now() - start };
}
