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

/** A setup of a gateway, which determines what code runs calls. */
export interface WaySetup {
  readonly name: string;
  readonly options: Pick<GatewayOptions, "fastPath" | "webAssembly">;
  /**
   * Whether the upstream may redirect, in which case the first attempt runs the same code as later attempts.
   */
  readonly redirects: boolean;
}

/** All setups. A call must have the same response and side effects in each. */
export const WAY_SETUPS: readonly WaySetup[] = [
  { name: "fast path, first attempt", options: {}, redirects: false },
  { name: "fast path, general attempts", options: {}, redirects: true },
  { name: "fast path, without WebAssembly", options: { webAssembly: false }, redirects: false },
  { name: "connect's handlers, first attempt", options: { fastPath: false }, redirects: false },
  { name: "connect's handlers, general attempts", options: { fastPath: false }, redirects: true },
];

/** Responds to the upstream requests of one call. */
export type Respond = (request: http.IncomingMessage, body: Buffer, response: http.ServerResponse) => void;

/** The response to one call, and the call's side effects. */
export interface Observed {
  readonly response: RawResponse;
  /** The requests that the upstream received. */
  readonly requests: readonly unknown[];
  /** The log lines of the call. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** The increase of each counter, and of the number of observations in each histogram. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A gateway in one of the setups, with a separate upstream. */
export interface ObservedWay extends AsyncDisposable {
  readonly name: string;
  readonly gateway: Gateway;
  readonly upstreamPort: number;
  /** Makes a call, and waits until the gateway has logged and counted it. Calls must not overlap. */
  send(call: RawCall, respond: Respond): Promise<Observed>;
}

/**
 * Returns the adapter of `echo-streams-rest.ts` with two changes: the scanner reads its responses, and
 * unknown keys are reported.
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

/**
 * Returns the same methods with other names and idempotency levels: a unary method with side effects, and a
 * stream without side effects.
 */
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

/** Gateway settings that all setups share. */
export type WaySettings = Omit<GatewayOptions, "adapters" | "upstreams"> & {
  readonly upstream?: Partial<GatewayOptions["upstreams"][string]>;
};

/** Starts a gateway in the given setup. */
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

  /** Waits until the call is counted, either as a call or as a rejected request, and returns the counters. */
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
 * Returns a log line without its times. For the cause of a defect, only the first line remains, because the
 * other lines are a stack trace.
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
  /** The requests that have arrived since the list was last emptied. */
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
  // if the server has just closed an idle connection, a request sent on it at the same time would be lost
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
