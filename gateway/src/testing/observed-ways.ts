import http from "node:http";
import type { AddressInfo } from "node:net";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { AnyMethodAdapter, ServiceAdapter, UnaryAdapter } from "connect-rest-runtime/adapter";
import { type Gateway, type GatewayOptions, startGateway } from "../gateway.ts";
import type { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { createLogger } from "../log/logger.ts";
import type { MetricsSnapshot } from "../metrics/metrics.ts";
import { EchoStreamsRest, EchoTable } from "./echo-streams-rest.ts";
import { type RawCall, type RawClient, type RawResponse, rawClient } from "./raw-call.ts";

/** A way that calls take through a gateway. */
export interface WaySetup {
  readonly name: string;
  readonly options: Pick<GatewayOptions, "fastPath" | "webAssembly">;
  /** Whether redirects may follow: then the first attempt is as general as later ones. */
  readonly redirects: boolean;
}

/** All ways. Whatever a call is, it gets and leaves behind the same by each. */
export const WAY_SETUPS: readonly WaySetup[] = [
  { name: "fast path, first attempt", options: {}, redirects: false },
  { name: "fast path, general attempts", options: {}, redirects: true },
  { name: "fast path, without WebAssembly", options: { webAssembly: false }, redirects: false },
  { name: "connect's handlers, first attempt", options: { fastPath: false }, redirects: false },
  { name: "connect's handlers, general attempts", options: { fastPath: false }, redirects: true },
];

/** Responds to the requests of one call. */
export type Respond = (request: http.IncomingMessage, body: Buffer, response: http.ServerResponse) => void;

/** What one call gets and leaves behind. */
export interface Observed {
  readonly response: RawResponse;
  /** What the upstream was sent. */
  readonly requests: readonly unknown[];
  /** Lines of the log, without those that come once in a time. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** By how much each counter is larger than before; histograms by their counts. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A gateway that calls go through by one way, with an upstream of its own. */
export interface ObservedWay extends AsyncDisposable {
  readonly name: string;
  readonly gateway: Gateway;
  readonly upstreamPort: number;
  /** Makes one call at a time, and waits until the gateway is done with it. */
  send(call: RawCall, respond: Respond): Promise<Observed>;
}

/**
 * The adapter of `echo-streams-rest.ts`, whose responses the scanner reads,
 * and that notes keys that it does not know.
 */
function adapterOf(redirects: boolean): ServiceAdapter<typeof EchoService> {
  const { echo, repeat } = EchoStreamsRest.methods;
  if (echo?.kind !== "unary" || repeat === undefined) throw new Error("the adapter has other methods");
  const rules = { ...echo.rules, redirects };
  const unary: typeof echo = { ...echo, rules, body: EchoTable, response: undefined };
  const stream = { ...repeat, rules } as typeof repeat;
  return {
    ...EchoStreamsRest,
    methods: { echo: unary, repeat: stream, ...otherMethods(unary, stream) },
  };
}

/** The same methods by other names: the unary one with side effects, the stream without. */
function otherMethods(echo: UnaryAdapter, repeat: AnyMethodAdapter): Record<string, AnyMethodAdapter> {
  const tell = {
    ...echo.method,
    name: "Tell",
    localName: "tell",
    idempotency: Idempotency.IDEMPOTENCY_UNKNOWN,
  };
  const list = {
    ...repeat.method,
    name: "List",
    localName: "list",
    idempotency: Idempotency.NO_SIDE_EFFECTS,
  };
  return {
    tell: { ...echo, method: tell },
    list: { ...repeat, method: list } as AnyMethodAdapter,
  };
}

/** How a gateway is set up, whatever the way. */
export type WaySettings = Omit<GatewayOptions, "adapters" | "upstreams"> & {
  readonly upstream?: Partial<GatewayOptions["upstreams"][string]>;
};

/** Starts a gateway for a way. */
export async function startObservedWay(
  { name, options, redirects }: WaySetup,
  more: WaySettings,
): Promise<ObservedWay> {
  const upstream = await startUpstream();
  const origin = `127.0.0.1:${upstream.port}`;
  const lines: Record<string, unknown>[] = [];
  const { upstream: settings, ...others } = more;
  const gateway = await startGateway({
    ...others,
    ...options,
    adapters: [adapterOf(redirects)],
    upstreams: {
      echo: {
        breaker: false,
        ...settings,
        baseUrl: `http://${origin}`,
        ...(redirects && { redirects: { hosts: [origin] } }),
      },
    },
    log: createLogger("debug", { write: (line: string) => lines.push(JSON.parse(line)) }),
  });
  await gateway.warm;
  const client = rawClient(gateway.port);
  const observer = new Observer(gateway, client, upstream, lines);
  await observer.begin();
  return {
    name,
    gateway,
    upstreamPort: upstream.port,
    send: (call, respond) => observer.send(call, respond),
    [Symbol.asyncDispose]: async () => {
      client.close();
      await gateway.close();
      await upstream.close();
    },
  };
}

class Observer {
  private readonly gateway: Gateway;
  private readonly client: RawClient;
  private readonly upstream: ScriptedUpstream;
  private readonly lines: Record<string, unknown>[];
  private counts: Record<string, number> = {};

  constructor(
    gateway: Gateway,
    client: RawClient,
    upstream: ScriptedUpstream,
    lines: Record<string, unknown>[],
  ) {
    this.gateway = gateway;
    this.client = client;
    this.upstream = upstream;
    this.lines = lines;
  }

  async begin(): Promise<void> {
    this.counts = countsOf(await this.gateway.metrics());
  }

  async send(call: RawCall, respond: Respond): Promise<Observed> {
    const { upstream, lines } = this;
    upstream.script(respond);
    const response = await this.client.send(call);
    const counts = await this.settled();
    const metrics: Record<string, number> = {};
    for (const [name, count] of Object.entries(counts)) {
      const more = count - (this.counts[name] ?? 0);
      if (more !== 0) metrics[name] = more;
    }
    this.counts = counts;
    return {
      response,
      requests: upstream.requests.splice(0),
      lines: lines.splice(0).map(comparableLine),
      metrics,
    };
  }

  /**
   * The counters, once the call is counted, be it as one or as a request that was none,
   * and its line is written.
   */
  private async settled(): Promise<Record<string, number>> {
    for (;;) {
      const counts = countsOf(await this.gateway.metrics());
      const now = total(counts, "connect_rest_rejected_requests_total") + callsOf(counts);
      const before = total(this.counts, "connect_rest_rejected_requests_total") + callsOf(this.counts);
      if (now > before) return counts;
      await new Promise(setImmediate);
    }
  }
}

function callsOf(counts: Readonly<Record<string, number>>): number {
  return total(counts, "connect_rest_calls_total");
}

function total(counts: Readonly<Record<string, number>>, name: string): number {
  let sum = 0;
  for (const [key, count] of Object.entries(counts)) if (key.startsWith(`${name}{`)) sum += count;
  return sum;
}

function countsOf(snapshot: MetricsSnapshot): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { name, type, values } of snapshot) {
    if (String(type) === "gauge") continue;
    for (const { value, labels, metricName } of values as readonly {
      readonly value: number;
      readonly labels: object;
      readonly metricName?: string;
    }[]) {
      if (metricName !== undefined && !metricName.endsWith("_count")) continue;
      counts[`${metricName ?? name}${JSON.stringify(labels)}`] = value;
    }
  }
  return counts;
}

/**
 * A line without its times; of the cause of a defect the first line,
 * since the others say where in the code it is.
 */
function comparableLine({ time, durationMs, ...line }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...line,
    hasTimes: time !== undefined && (line.msg !== "call" || typeof durationMs === "number"),
    ...("cause" in line ? { cause: String(line.cause).split("\n", 1)[0] } : {}),
  };
}

interface ScriptedUpstream {
  readonly port: number;
  /** What was asked since the last look. */
  readonly requests: unknown[];
  script(respond: Respond): void;
  close(): Promise<void>;
}

async function startUpstream(): Promise<ScriptedUpstream> {
  const requests: unknown[] = [];
  let respond: Respond | undefined;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const { method, url, headers } = request;
      const { host: _host, traceparent, ...own } = headers;
      const isTraced = traceparent !== undefined;
      requests.push({ method, url, headers: own, isTraced, body: body.toString("latin1") });
      respond?.(request, body, response);
    });
  });
  // a request on a connection that is closed meanwhile would be one that was not seen
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    script: (next) => {
      respond = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
