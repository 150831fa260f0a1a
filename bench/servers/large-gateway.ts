/** The gateway for large pages. Also reports the longest event-loop turn, and the memory of the process. */
import { readFileSync, writeFileSync } from "node:fs";
import inspector from "node:inspector/promises";
import { serveParent } from "./child.ts";
import { startMeasuredGateway } from "./measured-gateway.ts";

/** The longest event-loop turn, in milliseconds. */
export interface Held {
  /** Processor time of the main thread, which excludes other processes. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Resident memory, in bytes. */
export interface Resident {
  readonly now: number;
  /** The peak since the last question. */
  readonly peak: number;
}

let isWatching = false;
let longest: Held = { cpuMs: 0, wallMs: 0 };
let last = times();

function times(): Held {
  const { user, system } = process.threadCpuUsage();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() };
}

/** Runs in each turn of the event loop. */
function watch(): void {
  const now = times();
  longest = {
    cpuMs: Math.max(longest.cpuMs, now.cpuMs - last.cpuMs),
    wallMs: Math.max(longest.wallMs, now.wallMs - last.wallMs),
  };
  last = now;
  if (isWatching) setImmediate(watch);
}

function startWatching(): boolean {
  isWatching = true;
  longest = { cpuMs: 0, wallMs: 0 };
  last = times();
  setImmediate(watch);
  return true;
}

function stopWatching(): Held {
  watch();
  isWatching = false;
  return longest;
}

function resident(): Resident {
  const now = process.memoryUsage.rss();
  try {
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
    // Resets the peak that the kernel records (proc_pid_clear_refs(5)).
    writeFileSync("/proc/self/clear_refs", "5");
    return { now, peak };
  } catch {
    return { now, peak: process.resourceUsage().maxRSS * 1024 };
  }
}

/**
 * Collects the garbage of earlier calls. Otherwise a call could reuse their memory, which the measurement
 * would miss.
 */
async function settle(): Promise<boolean> {
  const session = new inspector.Session();
  session.connect();
  await session.post("HeapProfiler.collectGarbage");
  session.disconnect();
  return true;
}

const { port } = await startMeasuredGateway();
serveParent({ http1: port, http2: port }, { questions: { startWatching, stopWatching, resident, settle } });
