import type { BreakerReport, DifferenceReport, RequestReport, ServiceAdapter } from "connect-rest-runtime";
import type { OriginLoad } from "connect-rest-runtime/internal";
import { type BreakerState, DIFFERENCE_CLASSES, declaredPlace } from "connect-rest-runtime/internal";
import {
  type Aggregator,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import type { Call } from "../call/call.ts";
import { methodPath } from "../call/method-path.ts";
import { VERSION } from "../version.ts";
import { toOpenMetrics } from "./open-metrics.ts";
import { CountSeries, SeriesHistogram, SeriesMap } from "./series.ts";

const BUCKET_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The maximum number of label sets of one metric. */
const MAX_SETS = 1000;

/** The OAuth 2.0 grant types that have a label value; all others count as `other`. */
const GRANTS: ReadonlySet<string> = new Set(["authorization_code", "refresh_token", "client_credentials"]);

/** The path label of differences that have no separate label set. */
const OTHER = "other";

/** The metric values of breaker states. */
const STATE_NUMBERS: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

/**
 * Gauges of prom-client whose names end as if they were counters. For each, prom-client has another gauge
 * that shows the same numbers, split by a label.
 */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
] as const;

const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** The format in which metrics are rendered. */
export type MetricsFormat = "prometheus" | "openmetrics";

/** Options for additional metrics. */
export interface MetricsOptions {
  /** Whether each method has a separate histogram of upstream request times. Default: false. */
  readonly perMethod?: boolean | undefined;
}

/** All metrics as plain data, which can be sent to another process. */
export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];

/** Values that are read whenever metrics are rendered. */
export interface Gauges {
  readonly callsInFlight: () => number;
  readonly callsQueued: () => number;
  readonly watchers: () => number;
  readonly connections: () => number | Promise<number>;
  readonly logLinesDropped: () => number;
  /** Returns the expiry time of the certificate, in seconds since 1970; undefined without a certificate. */
  readonly certificateExpiry: (() => number) | undefined;
}

/**
 * The metrics of a gateway. Labels are declared names: methods, codes, protocols, upstreams, limits, and up
 * to a thousand paths of differences. Neither upstreams nor callers choose label values.
 */
export class Metrics {
  private readonly adapters: readonly ServiceAdapter[];
  private readonly registry = new Registry();
  private readonly places = new LabelSets();
  private readonly calls = this.totals("calls_total", "Calls that ended.", ["method", "code", "protocol"]);
  private readonly callSeconds = this.histogram("call_duration_seconds", "How long calls took.", [
    "method",
    "protocol",
  ]);
  private readonly requests = this.totals(
    "upstream_requests_total",
    'Requests to upstreams, by HTTP status; without a response "none", or "canceled" and "deadline_exceeded" where it was the caller who left or had no more time.',
    ["upstream", "status"],
  );
  private readonly requestSeconds = this.histogram(
    "upstream_request_duration_seconds",
    "How long upstreams took to respond.",
    ["upstream"],
  );
  private readonly differences = this.counter(
    "differences_total",
    'Places where a response differs from its description; "*" in a path stands for keys that the upstream chose, and path "other" counts those that are not told apart.',
    ["method", "path", "class"],
  );
  private readonly droppedHeaders = this.counter(
    "dropped_headers_total",
    "Headers of upstreams that callers would get, but that cannot be sent.",
    ["upstream"],
  );
  readonly overLimit = this.counted("refusals_total", "Calls, requests and connections beyond a limit.", [
    "limit",
  ]);
  /** Counts a request that did not become a call, by the HTTP status of its response. */
  readonly rejected: (status: number) => void = this.counted(
    "rejected_requests_total",
    "Requests that were rejected before they became a call: malformed, for an unknown host or method, or beyond a limit.",
    ["status"],
  );
  readonly busEntry: (direction: "sent" | "received") => void = this.counted(
    "bus_entries_total",
    "Entries of feeds that were written to the bus, or read from it.",
    ["direction"],
  );
  readonly busDropped = this.counted(
    "bus_dropped_entries_total",
    "Entries of feeds that were not read or written: oversized, malformed, unreadable or invalid ones of others, and own ones that came too late.",
    ["reason"],
  );
  /** Counts a request to an endpoint of the authorization server. See `knownOutcome` for the outcomes. */
  readonly authorized = this.counted(
    "authorization_requests_total",
    'Requests to the endpoints of the authorization server, by outcome: "ok", or the error of the response.',
    ["endpoint", "outcome"],
  );
  private readonly tokenChecks = this.counter(
    "token_checks_total",
    "Calls whose access token was checked, by outcome.",
    ["outcome"],
  );
  private readonly tokenGrants = this.counter(
    "token_grants_total",
    'Requests for tokens, by grant type, "other" for one that is unknown, and outcome: "ok", or the error of the response.',
    ["grant", "outcome"],
  );
  /** Counts the reuse of a code or a refresh token. */
  readonly tokenReused: (kind: "code" | "refresh_token") => void = this.counted(
    "token_reuses_total",
    "Codes and refresh tokens that came back after their use, which revoked their grant.",
    ["kind"],
  );
  /** Counts a person who returned from an upstream, or could not be sent there. */
  readonly signedIn = this.counted(
    "sign_ins_total",
    'Persons who came back from an upstream, or could not be sent there, by outcome: "ok", or why they are not signed in.',
    ["upstream", "outcome"],
  );
  /** Counts an attempt to refresh a person's tokens. */
  readonly sessionRefreshed = this.counted(
    "session_refreshes_total",
    'Refreshes of persons\' tokens at an upstream, by outcome: "ok", or why there are no new ones.',
    ["upstream", "outcome"],
  );
  /** Counts the end of a person's session at an upstream. */
  readonly sessionEnded = this.counted(
    "session_ends_total",
    "Sessions of persons that an upstream has ended, or that have expired there.",
    ["upstream"],
  );
  readonly tlsFailed = this.counted("tls_failures_total", "TLS handshakes that failed.", []);
  /**
   * Counts an HTTP/2 connection that was closed because of malformed frames, floods of frames, or invalid
   * headers.
   */
  readonly violated = this.counted(
    "http2_violations_total",
    "HTTP/2 connections that were ended because their peers violated the protocol.",
    [],
  );
  private readonly methodSeconds: SeriesHistogram | undefined;
  /** The series of calls by method, then by protocol. */
  private readonly callSeries = new SeriesMap(
    (method: string) => new SeriesMap((protocol: string) => this.seriesOfCalls(method, protocol)),
  );
  private readonly requestSeries = new SeriesMap((upstream: string) => this.seriesOfRequests(upstream));

  /** Defined once the gateway uses a bus. */
  private bus: Gauge | undefined;
  private readonly breakers = new Gauge({
    name: "connect_rest_breaker_state",
    help: "State of an upstream's circuit breaker: 0 closed, 1 half open, 2 open. From its first change on.",
    labelNames: ["upstream", "origin"],
    aggregator: "max",
    registers: [this.registry],
  });

  /** @param adapters the adapters whose differences are counted by path */
  constructor({ perMethod = false }: MetricsOptions = {}, adapters: readonly ServiceAdapter[] = []) {
    this.adapters = adapters;
    const help = "How long upstreams took to respond, by the method that was called.";
    this.methodSeconds = perMethod
      ? this.histogram("method_upstream_duration_seconds", help, ["upstream", "method"])
      : undefined;
    const build = new Gauge({
      name: "connect_rest_build_info",
      help: "The versions that run; always 1.",
      labelNames: ["version", "node_version"],
      aggregator: "first",
      registers: [this.registry],
    });
    build.set({ version: VERSION, node_version: process.versions.node }, 1);
  }

  /** Adds the metrics of the process: event loop, heap, CPU, and open files. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
  }

  watch({
    callsInFlight,
    callsQueued,
    watchers,
    connections,
    logLinesDropped,
    certificateExpiry,
  }: Gauges): void {
    this.gauge("calls_in_flight", "Calls that are running.", callsInFlight);
    this.gauge("calls_queued", "Calls that wait for others to end.", callsQueued);
    this.gauge("watchers", "Streams that watch a feed.", watchers);
    this.gauge("connections", "Open connections.", connections);
    if (certificateExpiry !== undefined) {
      const help = "When the certificate that is served expires, in seconds since 1970.";
      this.gauge("certificate_expiry_timestamp_seconds", help, certificateExpiry, "min");
    }
    this.total("log_lines_dropped_total", "Log lines that nobody read in time.", logLinesDropped);
  }

  called({ method, protocol, startedAt }: Call, code: string): void {
    const { codes, seconds } = this.callSeries.of(methodPath(method)).of(protocol);
    codes.of(code).add();
    seconds.observe((performance.now() - startedAt) / 1000);
  }

  private seriesOfCalls(method: string, protocol: string) {
    return {
      codes: new SeriesMap((code: string) => this.calls({ method, code, protocol })),
      seconds: this.callSeconds.series({ method, protocol }),
    };
  }

  /** Counts an upstream request by its HTTP status, or by the reason why there is no status. */
  requested({ upstream, method }: RequestReport, status: string, durationMs: number): void {
    const { statuses, seconds, methods } = this.requestSeries.of(upstream);
    statuses.of(status).add();
    seconds.observe(durationMs / 1000);
    methods?.of(methodPath(method)).observe(durationMs / 1000);
  }

  private seriesOfRequests(upstream: string) {
    const { methodSeconds } = this;
    return {
      statuses: new SeriesMap((status: string) => this.requests({ upstream, status })),
      seconds: this.requestSeconds.series({ upstream }),
      methods: methodSeconds && new SeriesMap((method: string) => methodSeconds.series({ upstream, method })),
    };
  }

  differed({ method, differences, counts }: DifferenceReport): void {
    const name = methodPath(method);
    const { localName, parent } = method;
    const adapter = this.adapters.find(({ service }) => service === parent)?.methods[localName];
    const further = { ...counts };
    for (const { path, class: as } of differences) {
      const place = {
        method: name,
        path: adapter === undefined ? OTHER : declaredPlace(adapter, path),
        class: as,
      };
      const isKnown = this.places.admits(Object.values(place).join(" "));
      this.differences.inc(isKnown ? place : { ...place, path: OTHER });
      further[as]--;
    }
    for (const as of DIFFERENCE_CLASSES) {
      if (further[as] > 0) this.differences.inc({ method: name, path: OTHER, class: as }, further[as]);
    }
  }

  headersDropped(upstream: string, count: number): void {
    this.droppedHeaders.inc({ upstream }, count);
  }

  /**
   * Sets the state of an upstream's circuit breaker. Circuits of single callers are only logged, because
   * their label would have one value per caller.
   */
  breakerChanged({ upstream, origin, state, caller }: BreakerReport): void {
    if (caller !== undefined) return;
    this.breakers.set({ upstream, origin }, STATE_NUMBERS[state]);
  }

  /** Adds the numbers of running and waiting requests at each upstream origin. */
  watchOrigins(loads: () => readonly OriginLoad[]): void {
    this.origins(
      "limit",
      "Requests that may run at an origin at a time, while there is a limit.",
      "min",
      loads,
    );
    this.origins("running", "Requests of callers that run at an origin.", "sum", loads);
    this.origins("waiting", "Requests that wait for their turn at an origin.", "sum", loads);
  }

  private origins(
    name: "limit" | "running" | "waiting",
    help: string,
    aggregator: Aggregator,
    loads: () => readonly OriginLoad[],
  ): void {
    const collect = function (this: Gauge) {
      this.reset();
      for (const { upstream, origin, [name]: value } of loads()) {
        if (value !== Number.POSITIVE_INFINITY) this.set({ upstream, origin }, value);
      }
    };
    const labelNames = ["upstream", "origin"];
    const registers = [this.registry];
    new Gauge({ name: `connect_rest_origin_${name}`, help, labelNames, registers, collect, aggregator });
  }

  /** Counts a call whose token has been checked. */
  tokenChecked(outcome: string): void {
    this.tokenChecks.inc({ outcome });
  }

  /** Counts a token request. The grant type is the one that the client sent. */
  tokenGranted(grant: string, outcome: string): void {
    this.tokenGrants.inc({ grant: GRANTS.has(grant) ? grant : "other", outcome });
  }

  /** Sets whether the bus is connected. */
  busConnected(isConnected: boolean): void {
    this.bus ??= new Gauge({
      name: "connect_rest_bus_connected",
      help: "Whether the bus can be reached: 1 or 0.",
      registers: [this.registry],
    });
    this.bus.set(isConnected ? 1 : 0);
  }

  /** Adds the numbers of shared feeds. */
  watchBus(feeds: () => { readonly joined: number; readonly led: number }): void {
    this.gauge("bus_feeds", "Feeds that are shared over the bus.", () => feeds().joined);
    this.gauge("bus_feeds_led", "Feeds that this process polls for all.", () => feeds().led);
  }

  /** Returns the content type and text of all metrics. */
  render(format?: MetricsFormat): Promise<RenderedMetrics> {
    return renderMetrics(this.registry, format);
  }

  /** Returns all metrics as data. */
  snapshot(): Promise<MetricsSnapshot> {
    return this.registry.getMetricsAsJSON();
  }

  private counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name: `connect_rest_${name}`, help, labelNames, registers: [this.registry] });
  }

  /** Creates a counter, and returns a function that increments it for given label values. */
  private counted<const L extends readonly string[]>(name: string, help: string, labelNames: L) {
    const counter = this.counter(name, help, labelNames);
    return (...values: { readonly [K in keyof L]: string | number }): void => {
      const labels = Object.fromEntries(labelNames.map((label, at) => [label, values[at]]));
      counter.inc(labels as Partial<Record<string, string | number>>);
    };
  }

  /**
   * Creates a counter, and returns a function that adds a series. The caller keeps the series and increments
   * it.
   */
  private totals<L extends string>(name: string, help: string, labelNames: readonly L[]) {
    const all: CountSeries[] = [];
    const collect = function (this: Counter) {
      this.reset();
      for (const { labels, value } of all) this.inc(labels, value);
    };
    const registers = [this.registry];
    new Counter({ name: `connect_rest_${name}`, help, labelNames, registers, collect });
    return (labels: Readonly<Record<L, string>>) => {
      const series = new CountSeries(labels);
      all.push(series);
      return series;
    };
  }

  private histogram(name: string, help: string, labelNames: readonly string[]): SeriesHistogram {
    const { registry } = this;
    return new SeriesHistogram({
      name: `connect_rest_${name}`,
      help,
      labelNames,
      registry,
      buckets: BUCKET_SECONDS,
    });
  }

  private gauge(
    name: string,
    help: string,
    read: () => number | Promise<number>,
    aggregator: Aggregator = "sum",
  ): void {
    const collect = async function (this: Gauge) {
      this.set(await read());
    };
    new Gauge({ name: `connect_rest_${name}`, help, registers: [this.registry], collect, aggregator });
  }

  /** Creates a counter whose value is read whenever metrics are rendered. */
  private total(name: string, help: string, read: () => number): void {
    const collect = function (this: Counter) {
      this.reset();
      this.inc(read());
    };
    new Counter({ name: `connect_rest_${name}`, help, registers: [this.registry], collect });
  }
}

/** The response to a metrics request. */
export interface RenderedMetrics {
  readonly contentType: string;
  readonly body: string;
}

/** Renders the metrics of a registry. */
export async function renderMetrics(
  registry: Registry,
  format: MetricsFormat = "prometheus",
): Promise<RenderedMetrics> {
  const text = await registry.metrics();
  if (format === "openmetrics") return { contentType: OPEN_METRICS_TYPE, body: toOpenMetrics(text) };
  return { contentType: registry.contentType, body: text };
}

/** Limits the number of label sets of a metric, whatever keys upstreams send. */
class LabelSets {
  private readonly known = new Set<string>();

  /** Returns whether a label set may have a separate series: the first thousand distinct label sets may. */
  admits(set: string): boolean {
    if (this.known.has(set)) return true;
    if (this.known.size >= MAX_SETS) return false;
    this.known.add(set);
    return true;
  }
}
