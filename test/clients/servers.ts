/** Servers that reject calls, each for a different reason. */
import { once } from "node:events";
import http2 from "node:http2";
import type { ConnectRouter } from "@connectrpc/connect";
import { EchoService } from "../../gateway/src/gen/echo/v1/echo_pb.ts";
import { Metrics } from "../../gateway/src/metrics/metrics.ts";
import { type Server, type ServerOptions, startServer } from "../../gateway/src/server.ts";
import { echoService } from "../../gateway/src/testing/echo.ts";
import { startWorld, type World } from "../end-to-end/world.ts";

/** A text from an upstream that must be encoded in headers. */
export const FOREIGN_TEXT = "“sorry” — 100 % é 🌳";

const GRPC = { "content-type": "application/grpc", te: "trailers" };

/** The servers and their limits. */
const SERVERS = {
  /** Serves calls within its limits. */
  plain: { limits: { readMaxBytes: 64 * 1024, writeMaxBytes: 16 * 1024 } },
  /** Never responds: every method times out. */
  slow: {
    routes: (router) => deafRoutes(router),
    unaryOf: () => () => new Promise<never>(() => undefined),
    limits: { unaryDeadlineMs: 500, streamDeadlineMs: 500 },
  },
  /** Is out of memory, and rejects every call. */
  overloaded: {
    load: () => ({ eventLoopDelayMs: 0, heapPercent: 100 }),
    random: () => 0,
    limits: { heapPercent: 1 },
  },
  /**
   * Runs at most one call, and queues one call from another client, so that the first client exceeds its
   * share.
   */
  greedy: {
    proxies: { trusted: ["127.0.0.1"] },
    limits: { callsPerClient: 1, callsInFlight: 1, queueTimeoutMs: 24 * 60 * 60 * 1000 },
  },
  /** Runs at most one call; a second call can wait briefly. */
  queued: { limits: { callsInFlight: 1, queuedCalls: 1, queueTimeoutMs: 1 } },
  /** Runs at most one call, without a queue. */
  full: { limits: { callsInFlight: 1, queuedCalls: 0 } },
  /** Accepts at most one request of any kind. */
  crowded: { limits: { requestsInFlight: 1 } },
} as const satisfies Record<string, Partial<ServerOptions>>;

/** Servers that hold one call for the whole test. */
const HELD = ["greedy", "queued", "full", "crowded"] as const satisfies (keyof typeof SERVERS)[];

/** Servers that shut down during their first call, one for each kind of call. */
const DRAINING = ["drainingServer", "drainingClient", "drainingBidi"] as const;

export type ServerName = keyof typeof SERVERS | (typeof DRAINING)[number] | "gateway";

/** Short shutdown delays, because each test decides when its server shuts down. */
const DRAIN = { drainNoticeMs: 1, drainStreamsMs: 1 };

/** All servers, for the tests of one client. */
export interface Servers {
  /** The `host:port` of each server. */
  readonly targets: Readonly<Record<ServerName, string>>;
  /** Returns the number of calls that the overloaded server has rejected. */
  overloads(): Promise<number>;
  close(): Promise<void>;
}

/** Starts all servers on free ports. */
export async function startServers(): Promise<Servers> {
  const metrics = new Metrics();
  const servers = {} as Record<Exclude<ServerName, "gateway">, Server>;
  for (const [name, options] of Object.entries(SERVERS) as [keyof typeof SERVERS, ServerOptions][]) {
    const limits = { ...options.limits, ...DRAIN, drainGraceMs: 1 };
    const counted = name === "overloaded" ? { metrics } : {};
    servers[name] = await startServer({ ...echoService, ...options, ...counted, limits });
  }
  for (const name of DRAINING) servers[name] = await startDraining();
  const world = await startWorld();
  addFaults(world);
  const held = await Promise.all(HELD.map((name) => holdCall(servers[name])));
  held.push(await holdCall(servers.greedy, "192.0.2.1"));
  const overloads = async () => rejectionsIn((await metrics.render()).body);
  while ((await overloads()) === 0) await statusOf(servers.overloaded);
  const targets = Object.entries(servers).map(([name, { port }]) => [name, `127.0.0.1:${port}`]);
  return {
    targets: { ...Object.fromEntries(targets), gateway: new URL(world.gateway.url).host },
    overloads,
    close: async () => {
      for (const session of held) session.destroy();
      await Promise.all(Object.values(servers).map((server) => server.close()));
      await world.close();
    },
  };
}

/** Starts a server that shuts down during its first call. */
async function startDraining(): Promise<Server> {
  const server = await startServer({
    routes: (router) => deafRoutes(router, () => void server.close()),
    limits: DRAIN,
  });
  return server;
}

/** Handles methods that respond after the call ends, or never; server streams first send one message. */
function deafRoutes(router: ConnectRouter, onCall: () => void = () => undefined): void {
  const end = (signal: AbortSignal) => {
    onCall();
    return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  router.service(EchoService, {
    echo: (_, { signal }) => end(signal),
    async *repeat({ text }, { signal }) {
      yield { text };
      await end(signal);
    },
    join: (_, { signal }) => end(signal),
    // biome-ignore lint/correctness/useYield: it is a stream, whose first message never comes
    async *talk(_, { signal }) {
      await end(signal);
    },
  });
}

/** Makes the gateway's upstream fail in a way that depends on the blog's name. */
function addFaults({ sandbox }: World): void {
  const always = { times: Number.POSITIVE_INFINITY };
  const busy = { status: 429, headers: { "retry-after": "7" }, body: { meta: { status: 429, msg: "Busy" } } };
  sandbox.next(busy, { ...always, match: "/blog/busy/" });
  sandbox.next({ html: true, status: 503 }, { ...always, match: "/blog/away/" });
  const errors = [{ title: "Not Found", code: 0, detail: FOREIGN_TEXT }];
  const foreign = { status: 404, body: { meta: { status: 404, msg: "Not Found" }, errors } };
  sandbox.next(foreign, { ...always, match: "/blog/foreign/" });
}

/** Keeps a server busy with an endless call, from the tests' client or from a client behind a proxy. */
async function holdCall({ url }: Server, client?: string): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(url);
  const forwarded = client === undefined ? {} : { "x-forwarded-for": client };
  const headers = { ":method": "POST", ":path": "/echo.v1.EchoService/Talk", ...GRPC, ...forwarded };
  const stream = session.request(headers).on("error", () => undefined);
  // A stream counts as a call from its first message, so one empty message is sent.
  stream.write(Buffer.alloc(5));
  await new Promise((resolve) => session.ping(resolve));
  return session;
}

/** Makes a call and ignores the result. */
async function statusOf({ url }: Server): Promise<void> {
  const session = http2.connect(url);
  const stream = session.request({ ":method": "POST", ":path": "/echo.v1.EchoService/Echo", ...GRPC });
  stream.on("error", () => undefined).resume();
  stream.end();
  await once(stream, "close");
  session.destroy();
}

function rejectionsIn(metrics: string): number {
  const [, count = "0"] = /_refusals_total\{limit="heapPercent"\} (\d+)/.exec(metrics) ?? [];
  return Number(count);
}
