import {
  type BreakerReport,
  type BreakerState,
  DIFFERENCE_CLASSES,
  type DifferenceReport,
} from "connect-rest";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Call } from "../call/call.ts";
import { methodPath } from "../call/method-path.ts";

const BUCKET_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Label sets that one metric may have. */
const MAX_SETS = 1000;

/** What a breaker's state is as a number. */
const STATE_NUMBERS: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

/** Numbers that are read when they are asked for. */
export interface Gauges {
  readonly callsInFlight: () => number;
  readonly callsQueued: () => number;
  readonly connections: () => number | Promise<number>;
}

/**
 * What the gateway counts, in the text format of Prometheus. Labels are names of ours: methods, codes, protocols,
 * upstreams, limits, and the places of differences, of which there are at most a thousand.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly places = new LabelSets();
  private readonly calls = this.counter("calls_total", "Calls that ended.", ["method", "code", "protocol"]);
  private readonly callSeconds = this.histogram("call_duration_seconds", "How long calls took.", [
    "method",
    "protocol",
  ]);
  private readonly requests = this.counter(
    "upstream_requests_total",
    'Requests to upstreams, by HTTP status; "none" is one without a response.',
    ["upstream", "status"],
  );
  private readonly requestSeconds = this.histogram(
    "upstream_request_duration_seconds",
    "How long upstreams took to respond.",
    ["upstream"],
  );
  private readonly differences = this.counter(
    "differences_total",
    'Places where a response differs from its description; path "other" counts those that are not told apart.',
    ["method", "path", "class"],
  );
  private readonly droppedHeaders = this.counter(
    "dropped_headers_total",
    "Headers of upstreams that callers would get, but that cannot be sent.",
    ["upstream"],
  );
  private readonly refusals = this.counter(
    "refusals_total",
    "Calls, requests and connections beyond a limit.",
    ["limit"],
  );

  private readonly breakers = new Gauge({
    name: "connect_rest_breaker_state",
    help: "State of an upstream's circuit breaker: 0 closed, 1 half open, 2 open. From its first change on.",
    labelNames: ["upstream", "origin"],
    registers: [this.registry],
  });

  /** Adds the metrics of the process: event loop, heap, processor, open files. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  watch({ callsInFlight, callsQueued, connections }: Gauges): void {
    this.gauge("calls_in_flight", "Calls that are running.", callsInFlight);
    this.gauge("calls_queued", "Calls that wait for others to end.", callsQueued);
    this.gauge("connections", "Open connections.", connections);
  }

  called({ method, protocol, startedAt }: Call, code: string): void {
    const path = methodPath(method);
    this.calls.inc({ method: path, code, protocol });
    this.callSeconds.observe({ method: path, protocol }, (performance.now() - startedAt) / 1000);
  }

  requested(upstream: string, status: number | undefined, durationMs: number): void {
    this.requests.inc({ upstream, status: status ?? "none" });
    this.requestSeconds.observe({ upstream }, durationMs / 1000);
  }

  differed({ method, differences, counts }: DifferenceReport): void {
    const name = methodPath(method);
    const further = { ...counts };
    for (const { path, class: as } of differences) {
      // A list differs as a whole.
      const place = { method: name, path: path.replace(/\[\d+\]/g, "[]"), class: as };
      const isKnown = this.places.admits(Object.values(place).join(" "));
      this.differences.inc(isKnown ? place : { ...place, path: "other" });
      further[as]--;
    }
    for (const as of DIFFERENCE_CLASSES) {
      if (further[as] > 0) this.differences.inc({ method: name, path: "other", class: as }, further[as]);
    }
  }

  headersDropped(upstream: string, count: number): void {
    this.droppedHeaders.inc({ upstream }, count);
  }

  breakerChanged({ upstream, origin, state }: BreakerReport): void {
    this.breakers.set({ upstream, origin }, STATE_NUMBERS[state]);
  }

  refused(limit: string): void {
    this.refusals.inc({ limit });
  }

  /** The content type and the text of everything. */
  async render(): Promise<{ readonly contentType: string; readonly body: string }> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }

  private counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name: `connect_rest_${name}`, help, labelNames, registers: [this.registry] });
  }

  private histogram<L extends string>(name: string, help: string, labelNames: readonly L[]): Histogram<L> {
    const registers = [this.registry];
    return new Histogram({
      name: `connect_rest_${name}`,
      help,
      labelNames,
      registers,
      buckets: BUCKET_SECONDS,
    });
  }

  private gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async function (this: Gauge) {
      this.set(await read());
    };
    new Gauge({ name: `connect_rest_${name}`, help, registers: [this.registry], collect });
  }
}

/** Keeps the label sets of a metric few, whatever upstreams send. */
class LabelSets {
  private readonly known = new Set<string>();

  /** Whether a label set may be distinguished: the first thousand different ones are. */
  admits(set: string): boolean {
    if (this.known.has(set)) return true;
    if (this.known.size >= MAX_SETS) return false;
    this.known.add(set);
    return true;
  }
}
