/**
 * Tests streams whose tokens end while the streams run, by every protocol, at two gateways that share a
 * store.
 */
import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { Code, ConnectError, type ConnectRouter, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { ResumeSchema } from "connect-rest-runtime/gen/connectrest/v1/feed_pb.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { EchoService } from "../../gateway/src/gen/echo/v1/echo_pb.ts";
import { Health } from "../../gateway/src/gen/grpc/health/v1/health_pb.ts";
import { FeedService, feedService } from "../../runtime/src/testing/feed-service.ts";
import { Timeline } from "../../runtime/src/testing/timeline.ts";
import { type AuthorizedGateway, asProxy, startAuthorized } from "../support/authorized-gateway.ts";
import { MACHINE, MACHINE_SECRET } from "../support/machine-client.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

/** The maximum time between the end of a token and the end of its streams, in milliseconds. */
const ENDED_WITHIN_MS = 5000;

let time = Date.now();
const VIA_PROXY = { interceptors: [asProxy] };
const now = () => time;
let store: SqliteStore;
let served: readonly AuthorizedGateway[] = [];
let steps: OAuthSteps;

beforeAll(async () => {
  const timeline = new Timeline(100, 1);
  timeline.ids = [1, 2];
  store = new SqliteStore({ file: ":memory:", now });
  const options = {
    store,
    now,
    clients: [MACHINE] as never,
    scopes: [{ name: "all", methods: ["*"] }],
    open: { health: false, reflection: false },
    lifetimes: {
      accessTokenSeconds: 600,
      refreshTokenSeconds: 7200,
      grantSeconds: 9000,
      clientSeconds: 9000,
    },
  };
  const others = {
    adapters: [feedService()],
    upstreams: { things: { baseUrl: "https://api.example", retry: false, breaker: false } } as const,
    routes: endlessEcho,
    fetch: timeline.fetch,
    limits: { drainNoticeMs: 1, healthWatchesPerClient: 100 },
  };
  served = await Promise.all([
    startAuthorized(options, others),
    startAuthorized(options, { ...others, fastPath: false }),
  ]);
  const [first] = served;
  if (first === undefined) throw new Error("there is no gateway");
  steps = new OAuthSteps(first);
});
afterAll(async () => {
  await Promise.all(served.map((each) => each.close()));
});

/** Emits the text of each request of an upload. */
const uploads = new EventEmitter();

/** Handles streams that do not end on their own: one ignores its signal, and the others wait for requests. */
function endlessEcho(router: ConnectRouter): void {
  router.service(EchoService, {
    async *repeat({ text }) {
      yield { text };
      await new Promise(() => undefined);
    },
    async join(requests) {
      for await (const { text } of requests) uploads.emit(text);
      return { text: "" };
    },
    async *talk(requests) {
      for await (const { text } of requests) yield { text };
    },
  });
}

const TRANSPORTS: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, ...VIA_PROXY, httpVersion: "1.1" })],
  ["Connect over HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, ...VIA_PROXY, httpVersion: "2" })],
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl, ...VIA_PROXY })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, ...VIA_PROXY, httpVersion: "1.1" })],
  ["gRPC-Web over HTTP/2", (baseUrl) => createGrpcWebTransport({ baseUrl, ...VIA_PROXY, httpVersion: "2" })],
];

/** An open stream of a client. */
interface Open {
  readonly name: string;
  readonly isWatch: boolean;
  /** Resolves when the stream has begun. */
  readonly begun: Promise<void>;
  readonly ended: Promise<ConnectError>;
  /** Returns the resume token of the last message. */
  readonly resumeToken: () => string;
  isOver: boolean;
}

type Kind = "Watch" | "Health.Watch" | "server stream" | "upload" | "both ways";

/** Opens a stream that does not end on its own. */
function open(kind: Kind, transport: Transport, name: string, token: string, leave: AbortSignal): Open {
  const options = { headers: { authorization: `Bearer ${token}` }, signal: leave };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let resumeToken = "";
  const take = async (messages: AsyncIterable<object>) => {
    for await (const message of messages) {
      if ("resumeToken" in message) resumeToken = String(message.resumeToken);
      begin();
    }
  };
  const id = randomUUID();
  uploads.once(id, begin);
  const requests = async function* () {
    yield { text: id };
    await new Promise((resolve) => leave.addEventListener("abort", resolve, { once: true }));
  };
  const echo = createClient(EchoService, transport);
  const run: Record<Kind, () => Promise<unknown>> = {
    Watch: () => take(createClient(FeedService, transport).watch({ owner: "ada", backlog: true }, options)),
    "Health.Watch": () => take(createClient(Health, transport).watch({}, options)),
    "server stream": () => take(echo.repeat({ text: "a" }, options)),
    upload: () => echo.join(requests(), options),
    "both ways": () => take(echo.talk(requests(), options)),
  };
  const opened: Open = {
    name: `${kind} by ${name}`,
    isWatch: kind.endsWith("Watch"),
    begun,
    ended: run[kind]().then(
      () => new ConnectError("it ended without an error", Code.Unknown),
      (error: unknown) => {
        opened.isOver = true;
        return ConnectError.from(error);
      },
    ),
    resumeToken: () => resumeToken,
    isOver: false,
  };
  return opened;
}

/** Opens all kinds of streams with a token, at both gateways, by every protocol that supports them. */
async function openAll(token: string, leave: AbortSignal): Promise<Open[]> {
  const all = served.flatMap(({ gateway }, index) =>
    TRANSPORTS.flatMap(([name, transport]) => {
      const kinds: Kind[] = ["Watch", "Health.Watch", "server stream"];
      if (name.includes("HTTP/2") || name === "gRPC") kinds.push("upload", "both ways");
      const where = `${name}, ${index === 0 ? "fast path" : "connect's path"}`;
      return kinds.map((kind) => open(kind, transport(gateway.url), where, token, leave));
    }),
  );
  await Promise.all(all.map(({ begun, ended }) => Promise.race([begun, ended])));
  return all;
}

/** Checks that each stream ends with the right error within the promised time. */
async function expectEnded(streams: readonly Open[], text: string): Promise<void> {
  const from = performance.now();
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => {
      const open = streams.filter(({ isOver }) => !isOver).map(({ name }) => name);
      reject(new Error(`still open: ${open.join("; ")}`));
    }, ENDED_WITHIN_MS).unref();
  });
  await Promise.race([Promise.all(streams.map(({ ended }) => ended)), late]);
  expect(performance.now() - from).toBeLessThan(ENDED_WITHIN_MS);
  for (const { name, ended, resumeToken } of streams) {
    const error = await ended;
    expect([name, error.code, error.rawMessage]).toEqual([name, Code.Unauthenticated, text]);
    expect(error.metadata.get("www-authenticate"), name).toContain('Bearer error="invalid_token"');
    if (name.startsWith("Watch")) {
      expect(resumeToken(), name).not.toBe("");
      expect(error.findDetails(ResumeSchema)[0]?.token, name).toBe(resumeToken());
    }
  }
}

async function signIn(clientId: string): Promise<{ access: string; refresh: string }> {
  const { body } = await steps.redeem(clientId, await steps.code(clientId, { scope: "all" }));
  return { access: String(body.access_token), refresh: String(body.refresh_token) };
}

const EXPIRED = "the access token of this stream has expired; call again with a new one";
const REVOKED = "the access token of this stream was revoked; sign in again";

test("a revoked token ends all of its streams, and an expired token ends only streams that watch", async () => {
  const leave = new AbortController();
  const id = await steps.publicClient();
  const early = await signIn(id);
  const machine = { grant_type: "client_credentials", client_id: "machine", client_secret: MACHINE_SECRET };
  const earlyMachine = String((await steps.token(machine)).body.access_token);
  time += 400_000;
  const later = await signIn(id);
  const gone = await signIn(id);
  const [expiring, ofMachine, standing, revoked] = await Promise.all(
    [early.access, earlyMachine, later.access, gone.access].map((token) => openAll(token, leave.signal)),
  );
  const all = [expiring, ofMachine, standing, revoked].map((each) => each ?? []);
  expect(all.flat().filter(({ isOver }) => isOver)).toEqual([]);

  await steps.post("/revoke", { client_id: id, token: gone.refresh });
  await expectEnded(all[3] ?? [], REVOKED);

  // A refresh does not affect running streams.
  expect((await steps.refresh(id, early.refresh)).status).toBe(200);
  time += 300_000;
  const watches = [...(all[0] ?? []), ...(all[1] ?? [])].filter(({ isWatch }) => isWatch);
  await expectEnded(watches, EXPIRED);
  const others = [...(all[0] ?? []), ...(all[1] ?? [])].filter(({ isWatch }) => !isWatch);
  expect([...others, ...(all[2] ?? [])].filter(({ isOver }) => isOver)).toEqual([]);

  // After a sign-out all calls are rejected, even with a token that has expired in the meantime.
  await store.deleteExpired();
  const machines = (all[1] ?? []).filter(({ isWatch }) => !isWatch);
  await store.deleteBy({ session: "session" });
  await expectEnded([...(all[0] ?? []).filter(({ isWatch }) => !isWatch), ...(all[2] ?? [])], REVOKED);
  expect(machines.filter(({ isOver }) => isOver)).toEqual([]);
  leave.abort();
  await Promise.all(all.flat().map(({ ended }) => ended));
}, 60_000);
