import { setImmediate } from "node:timers/promises";
import { type Client, createClient } from "@connectrpc/connect";
import { createRest, type Rest } from "connect-rest-runtime";
import { type Sandbox, startSandbox } from "connect-rest-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Event, EventSchema } from "../../gen/events/v1/event_pb.ts";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { EventServiceRest } from "../../gen/events/v1/events_rest.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { failureOf } from "../end-to-end/failure.ts";
import { FEEDS } from "../events/feeds.ts";
import { type Batch, WATCHED_FEEDS, type WatchedFeed } from "../events/watches.ts";
import { EVENT_FEED } from "./feeds.ts";
import { Records, reflected } from "./record.ts";
import type { Section } from "./section.ts";

type Kind = "List" | "Watch";

const EVENT = { type: "WatchEvent", actor: "octavia", repo: "octo/hello", payload: { action: "started" } };
const records = new Set<string>();
const seen = new Records();
const ALL = { start: { case: "backlog", value: true } } as const;

let sandbox: Sandbox;
let clock: FakeClock;
let rest: Rest;
let token: string;
let client: Client<typeof EventService>;
const left = new AbortController();

beforeAll(async () => {
  clock = new FakeClock();
  sandbox = await startSandbox({ port: 0, clock: clock.now() });
  connect();
  for (const feed of FEEDS) {
    await list(feed.path, feed.asked, () => feed.list(client, { perPage: 100, page: 1 }));
  }
  for (const feed of WATCHED_FEEDS) await list(feed.path, feed.asked, () => firstOf(feed), "Watch");
  await lists();
  // From this point on, pollers start without state.
  await rest.close();
  connect();
  await streams();
  for (const name of seen.fields) records.add(`field ${name}`);
}, 60_000);
afterAll(async () => {
  left.abort();
  await rest.close();
  await sandbox.close();
});

/** Connects like a process that has not polled before. */
function connect(): void {
  rest = createRest({
    adapters: [EventServiceRest],
    upstreams: {
      events: {
        bases: { api: sandbox.feedUrl },
        credentials: () => ({ oauth2: { accessToken: token } }),
        retry: false,
        breaker: false,
      },
    },
    clock,
  });
  client = createClient(EventService, rest.transport);
}

/** Lists a feed and compares its events with the sandbox's. */
async function list(
  path: string,
  asked: string,
  ask: () => Promise<{ readonly events: readonly Event[] }>,
  kind: Kind = "List",
): Promise<void> {
  token = asked.includes("marvin") ? sandbox.credentials.feedOtherToken : sandbox.credentials.feedToken;
  const { events } = await ask();
  const headers = { authorization: `Bearer ${token}`, "user-agent": "test", connection: "close" };
  note(kind);
  const answer = await fetch(`${sandbox.feedUrl}${asked}?per_page=100`, { headers });
  const sent = (await answer.json()) as ReadonlyArray<{ readonly id: string; readonly payload?: unknown }>;
  for (const event of events) {
    const json = sent.find(({ id }) => id === event.id);
    if (json !== undefined) compare(json, event);
  }
  if (events.length > 0) records.add(`${kind} ${path}`);
}

/**
 * Compares an event. Its payload is a oneof with a discriminator outside the payload, so the member is
 * compared separately.
 */
function compare(json: object & { readonly payload?: unknown }, event: Event): void {
  const whole = reflected(EventSchema, event);
  seen.consume(json, whole);
  const member = EventSchema.fields.find(({ localName }) => localName === event.payload.case);
  if (member?.fieldKind !== "message" || member.message.typeName.startsWith("google.")) return;
  records.add("field events.v1.Event.payload");
  seen.consume(json.payload, whole.get(member) as Parameters<Records["consume"]>[1]);
}

/** Records the headers and parameters of the last request. */
function note(kind: Kind): void {
  const request = sandbox.received.last;
  for (const name of [...Object.keys(request?.headers ?? {}), ...(request?.query.keys() ?? [])]) {
    records.add(`${kind} sends ${name}`);
  }
}

async function firstOf({ watch }: WatchedFeed): Promise<Batch> {
  for await (const batch of watch(client, ALL)) return batch;
  throw new Error("the stream has no message");
}

const hello = { owner: "octo", repo: "hello" };

/** Checks values that only statuses and headers of lists show. */
async function lists(): Promise<void> {
  token = sandbox.credentials.feedToken;
  const first = await client.listRepositoryEvents({ ...hello, perPage: 100 });
  const used = first.rateLimitUsed;
  const again = await client.listRepositoryEvents({ ...hello, perPage: 100, ifNoneMatch: first.etag });
  note("List");
  records.add("List met 200");
  if (again.notModified) records.add("List met 304").add("List keeps ETag");
  if (again.rateLimitUsed === used) records.add("List keeps 304 is free");
  if (again.pollIntervalSeconds === 60) records.add("List keeps X-Poll-Interval");
  await failing("List", () => client.listRepositoryEvents({ owner: "octo", repo: "old-hello" }));
  await failing("List", () => client.listRepositoryEvents({ owner: "octo", repo: "missing" }));
  sandbox.events.throttle({ seconds: 10 });
  await failing("List", () => client.listRepositoryEvents(hello));
  sandbox.events.recover();
  sandbox.events.outage({ seconds: 10 });
  await failing("List", () => client.listRepositoryEvents(hello));
  sandbox.events.recover();
  const beyond = await failureOf(client.listRepositoryEvents({ ...hello, perPage: 100, page: 4 }));
  if (beyond.code === "OutOfRange") records.add("List keeps 300 events");
}

async function failing(kind: Kind, call: () => Promise<unknown>): Promise<void> {
  const { metadata } = await failureOf(call());
  records.add(`${kind} met ${metadata?.http_status}`);
}

/** Checks streams in the same way. Streams wait until limits and outages end. */
async function streams(): Promise<void> {
  sandbox.events.clear();
  sandbox.events.fill(EVENT, 310);
  const batches: Batch[] = [];
  const [feed] = WATCHED_FEEDS.filter(({ path }) => path.startsWith("/repos/"));
  const heartbeatInterval = { seconds: 3600n, nanos: 0 };
  const stream = feed?.watch(client, { ...ALL, heartbeatInterval }, { signal: left.signal });
  const read = async () => {
    for await (const batch of stream ?? []) batches.push(batch);
  };
  read().catch(() => undefined);
  await until(() => batches.flatMap(({ events }) => events).length >= 300);
  if (batches.flatMap(({ events }) => events).length === 300) records.add("Watch keeps 300 events");
  records.add("Watch met 200");
  const quota = async () => (await client.listRepositoryEvents({ ...hello, perPage: 1 })).rateLimitUsed ?? 0;
  const before = await quota();
  sandbox.events.pollInterval = 90;
  await pass(61_000, 3);
  note("Watch");
  if (sandbox.received.last?.headers["if-none-match"] !== undefined) records.add("Watch keeps ETag");
  // The call that reads the quota counts itself.
  if ((await quota()) === before + 1) records.add("Watch met 304").add("Watch keeps 304 is free");
  const { total } = sandbox.received;
  sandbox.clock.advance(61_000);
  clock.advance(61_000);
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  if (sandbox.received.total === total) records.add("Watch keeps X-Poll-Interval");
  sandbox.events.throttle({ seconds: 100_000 });
  await waitedOut(403);
  sandbox.events.outage({ seconds: 100_000 });
  await waitedOut(503);
  await failing("Watch", () => ended(client.watchRepositoryEvents({ owner: "octo", repo: "old-hello" })));
  await failing("Watch", () => ended(client.watchRepositoryEvents({ owner: "octo", repo: "missing" })));

  async function waitedOut(status: number): Promise<void> {
    const heartbeats = batches.length;
    // Longer than every delay requested so far.
    await pass(200_000, 1);
    await until(() => batches.length > heartbeats);
    if (batches.at(-1)?.heartbeat?.failure !== undefined) records.add(`Watch met ${status}`);
    sandbox.events.recover();
    await pass(100_100_000, 1);
    await until(() => batches.at(-1)?.heartbeat?.failure === undefined);
  }
}

async function ended(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _batch of stream) throw new Error("expected an error");
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    left.signal.throwIfAborted();
    await setImmediate();
  }
}

async function pass(ms: number, requests: number): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  const { total } = sandbox.received;
  sandbox.clock.advance(ms);
  clock.advance(ms);
  await until(() => sandbox.received.total >= total + requests);
  for (let turn = 0; turn < 50; turn++) await setImmediate();
}

function rowsOf({ kind, of, names }: Section) {
  return names.split(", ").map((text) => {
    const [name = "", own = name] = text.split(" = ");
    return { name, record: kind === "field" ? `field ${own.includes(".v1.") ? own : `${of}.${own}`}` : own };
  });
}

describe.each([...EVENT_FEED])("$title", (section) => {
  test("covers every row of the section", () => {
    const rows = rowsOf(section);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(section.rows);
    expect(rows.filter(({ record }) => !records.has(record)).map(({ record }) => record)).toEqual([]);
  });
});

test("every method of the service lists or streams one of the nine feeds", () => {
  const names = EventService.methods.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("List"))).toHaveLength(9);
  expect(names.filter((name) => name.startsWith("Watch"))).toHaveLength(9);
  expect(names).toHaveLength(18);
});
