import http from "node:http";
import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { createLogger, type Gateway, type GatewayOptions, startGateway } from "connect-rest-gateway";
import {
  createRestTransport,
  type DifferenceReport,
  type RestTransport,
  type UpstreamOptions,
} from "connect-rest-runtime";
import { type Sandbox, startSandbox } from "connect-rest-sandbox";
import { BlogServiceRest } from "../../gen/blog/v1/blog_rest.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { EventServiceRest } from "../../gen/events/v1/events_rest.ts";

/**
 * Node's client resets a connection's streams above 10 MB of data to send, which is less than a photo in
 * JSON.
 */
const LARGE_REQUESTS = { maxSessionMemory: 256 };

/** The adapters of all APIs. */
export const ADAPTERS = [BlogServiceRest, PostServiceRest, EventServiceRest];

/** Settings of the upstreams that a sandbox replaces. */
export type Upstreams = Readonly<Record<"blog" | "events", UpstreamOptions>>;

/**
 * Without retries, which would hide a fault, and without a circuit breaker, which many faults in a row would
 * open.
 */
const EVERY_FAULT_SHOWS = { retry: false, breaker: false } as const;

/** Returns upstream settings with the address and the credentials of the sandbox. */
export function upstreamsOf({ url, feedUrl, credentials: known }: Sandbox): Upstreams {
  return {
    blog: {
      bases: { api: url, web: url },
      ...EVERY_FAULT_SHOWS,
      credentials: {
        apiKey: known.consumerKey,
        oauth1: {
          consumerKey: known.consumerKey,
          consumerSecret: known.consumerSecret,
          token: known.oauth1Token,
          tokenSecret: known.oauth1TokenSecret,
        },
      },
    },
    events: {
      bases: { api: feedUrl },
      ...EVERY_FAULT_SHOWS,
      credentials: { oauth2: { accessToken: known.feedToken } },
    },
  };
}

/** The ways to make a call: every protocol over every supported version of HTTP, and in-process. */
export const WAYS = [
  "Connect proto, HTTP/1.1",
  "Connect proto, h2c",
  "Connect proto by GET, HTTP/1.1",
  "Connect JSON, HTTP/1.1",
  "Connect JSON, h2c",
  "gRPC proto, h2c",
  "gRPC JSON, h2c",
  "gRPC-Web proto, HTTP/1.1",
  "gRPC-Web proto, h2c",
  "gRPC-Web JSON, HTTP/1.1",
  "in-process",
] as const;

export type Way = (typeof WAYS)[number];

/** The ways that use the gateway. */
export const GATEWAY_WAYS = WAYS.filter((way) => way !== "in-process");

/**
 * Replaces the gateway's load measurement with zeros, because client, gateway and sandbox share a process on
 * a possibly busy machine.
 */
const idle = () => ({ eventLoopDelayMs: 0, heapPercent: 0 });

/** A sandbox, a gateway in front of it, and an in-process transport. */
export interface World {
  readonly sandbox: Sandbox;
  readonly gateway: Gateway;
  /** The differences reported for in-process calls. */
  readonly differences: DifferenceReport[];
  /** The lines of the gateway's log. */
  readonly log: Record<string, unknown>[];
  /** The ids of the newest posts of the blog `demo`, newest first, as the upstream writes them. */
  readonly newest: readonly bigint[];
  client<S extends DescService>(service: S, way: Way): Client<S>;
  /** Closes everything. Fails if a socket remains open. */
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly gateway?: Partial<GatewayOptions>;
  /** Changes the settings of the upstreams. */
  readonly upstreams?: (upstreams: Upstreams) => Readonly<Record<string, UpstreamOptions>>;
}

/** Starts the sandbox, the gateway and the transport on free ports. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const before = openSockets().length;
  const sandbox = await startSandbox({ port: 0 });
  const upstreams = (options.upstreams ?? ((same) => same))(upstreamsOf(sandbox));
  const lines: Record<string, unknown>[] = [];
  const log = createLogger("info", { write: (line) => lines.push(JSON.parse(line)) });
  const gateway = await startGateway({ adapters: ADAPTERS, upstreams, log, load: idle, ...options.gateway });
  await gateway.warm;
  const differences: DifferenceReport[] = [];
  const inProcess = createRestTransport({
    adapters: ADAPTERS,
    upstreams,
    onDifference: (report) => differences.push(report),
  });
  const agent = new http.Agent({ keepAlive: true });
  const sessionManager = new Http2SessionManager(gateway.url, undefined, LARGE_REQUESTS);
  const transports = transportsTo(gateway.url, agent, sessionManager, inProcess);
  return {
    sandbox,
    gateway,
    differences,
    log: lines,
    newest: await newestPosts(sandbox),
    client: (service, way) => createClient(service, transports[way]),
    close: async () => {
      agent.destroy();
      sessionManager.abort();
      await inProcess.close();
      await gateway.close();
      await sandbox.close();
      await noSocketLeft(before);
    },
  };
}

function transportsTo(
  baseUrl: string,
  agent: http.Agent,
  sessionManager: Http2SessionManager,
  inProcess: RestTransport,
): Record<Way, Transport> {
  const h1 = { baseUrl, httpVersion: "1.1", nodeOptions: { agent } } as const;
  const h2 = { baseUrl, httpVersion: "2", sessionManager } as const;
  const json = { useBinaryFormat: false };
  return {
    "Connect proto, HTTP/1.1": createConnectTransport(h1),
    "Connect proto, h2c": createConnectTransport(h2),
    "Connect proto by GET, HTTP/1.1": createConnectTransport({ ...h1, useHttpGet: true }),
    "Connect JSON, HTTP/1.1": createConnectTransport({ ...h1, ...json }),
    "Connect JSON, h2c": createConnectTransport({ ...h2, ...json }),
    "gRPC proto, h2c": createGrpcTransport({ baseUrl, sessionManager }),
    "gRPC JSON, h2c": createGrpcTransport({ baseUrl, sessionManager, ...json }),
    "gRPC-Web proto, HTTP/1.1": createGrpcWebTransport(h1),
    "gRPC-Web proto, h2c": createGrpcWebTransport(h2),
    "gRPC-Web JSON, HTTP/1.1": createGrpcWebTransport({ ...h1, ...json }),
    "in-process": inProcess,
  };
}

async function newestPosts({ url, credentials }: Sandbox): Promise<bigint[]> {
  const address = `${url}/v2/blog/demo/posts?limit=3&api_key=${credentials.consumerKey}`;
  const answer = await fetch(address, { headers: { connection: "close", "user-agent": "test" } });
  return [...(await answer.text()).matchAll(/"id_string":"(\d{18})"/g)].map(([, id = ""]) => BigInt(id));
}

/**
 * Resolves when no more sockets and servers are open than `before`. Rejects if more are still open after many
 * event-loop turns.
 */
async function noSocketLeft(before: number): Promise<void> {
  for (let turn = 0; openSockets().length > before; turn++) {
    if (turn === 10_000) throw new Error(`expected ${before} open sockets, got ${openSockets().join(", ")}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function openSockets(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP"));
}
