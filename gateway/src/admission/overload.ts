import { fraction, systemClock } from "connect-rest-codec/internal";
import type { LimitName, Limits } from "../limits.ts";
import { type Load, processLoad } from "./process-load.ts";

/** The reason for rejecting calls: the exceeded limit. */
export interface Overload {
  readonly limit: LimitName;
  readonly text: string;
}

const SAMPLE_MS = 250;

/** The number of samples over which the event-loop delay is averaged. They span one second. */
const SAMPLES = 4;

/**
 * The maximum fraction of calls to reject. It stays below 1, since the load may have causes other than calls.
 */
const MAX_PART = 0.9;

/**
 * Monitors the load of the process. Above a limit, calls are rejected in proportion to the excess, but never
 * all of them: if other processes load the machine, fewer calls would not end the overload.
 */
export class OverloadMonitor {
  private readonly limits: Limits;
  private readonly read: () => Load;
  private readonly random: () => number;
  private readonly timer: NodeJS.Timeout;
  private readonly delays: number[] = [];
  private found: { readonly overload: Overload; readonly part: number } | undefined;

  /**
   * @param read replaced in tests
   * @param random replaced in tests
   */
  constructor(
    limits: Limits,
    read: () => Load = processLoad(),
    random: () => number = () => fraction(systemClock),
  ) {
    this.limits = limits;
    this.read = read;
    this.random = random;
    this.timer = setInterval(() => this.sample(), SAMPLE_MS).unref();
  }

  /** Returns the reason to reject the next call; undefined to accept the call. */
  rejection(): Overload | undefined {
    return this.found !== undefined && this.random() < this.found.part ? this.found.overload : undefined;
  }

  /** The fraction of calls that are rejected, from 0 to 1. */
  get part(): number {
    return this.found?.part ?? 0;
  }

  /** Samples the load of the process; runs four times a second. */
  sample(): void {
    const { eventLoopDelayMs, heapPercent } = this.read();
    this.delays.push(eventLoopDelayMs);
    if (this.delays.length > SAMPLES) this.delays.shift();
    const delay = this.delays.reduce((sum, each) => sum + each, 0) / SAMPLES;
    const { limits } = this;
    // a delay of twice the limit rejects half of the calls; a full heap rejects the maximum fraction
    const late = 1 - limits.eventLoopDelayMs / delay;
    const full = (heapPercent - limits.heapPercent) / Math.max(1, 100 - limits.heapPercent);
    this.found =
      this.beyond("eventLoopDelayMs", delay, late, "ms of delay in the event loop") ??
      this.beyond("heapPercent", heapPercent, full, "% of the heap in use");
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private beyond(
    limit: "eventLoopDelayMs" | "heapPercent",
    value: number,
    part: number,
    what: string,
  ): OverloadMonitor["found"] {
    if (value <= this.limits[limit]) return undefined;
    const text = `the gateway is overloaded: ${Math.round(value)} ${what}, the limit ${limit} is ${this.limits[limit]}`;
    return { overload: { limit, text }, part: Math.min(part, MAX_PART) };
  }
}
