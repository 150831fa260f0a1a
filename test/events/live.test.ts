import { setImmediate } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createRest, type Rest } from "connect-rest-runtime";
import { type Sandbox, startSandbox } from "connect-rest-sandbox";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { EventServiceRest } from "../../gen/events/v1/events_rest.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import type { Batch, Start } from "./watches.ts";

const EVENT = { type: "WatchEvent", actor: "octavia", repo: "octo/hello", payload: { action: "started" } };
/** A time longer than an interval with jitter. */
const NEXT = 61_000;

let sandbox: Sandbox;
let rest: Rest;
let clock: FakeClock;
let left: AbortController;
beforeEach(async () => {
  left = new AbortController();
  clock = new FakeClock();
  sandbox = await startSandbox({ port: 0, clock: clock.now() });
  rest = createRest({
    adapters: [EventServiceRest],
    upstreams: {
      events: {
        bases: { api: sandbox.feedUrl },
        credentials: { oauth2: { accessToken: sandbox.credentials.feedToken } },
      },
    },
    clock,
  });
});
afterEach(async () => {
  left.abort();
  await rest.close();
  await sandbox.close();
});

/** Returns an array that collects the batches of a stream. */
function watching(start: Start = {}): Batch[] {
  const batches: Batch[] = [];
  const stream = createClient(EventService, rest.transport).watchRepositoryEvents(
    { owner: "octo", repo: "hello", ...start },
    { signal: left.signal },
  );
  const read = async () => {
    for await (const batch of stream) batches.push(batch);
  };
  read().catch(() => undefined);
  return batches;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    left.signal.throwIfAborted();
    await setImmediate();
  }
}

/** Advances all clocks, and waits until this many requests have followed. */
async function pass(ms: number, requests: number): Promise<void> {
  // Waits until the poller has set its timer.
  await until(() => clock.running > 0);
  const { total } = sandbox.received;
  sandbox.clock.advance(ms);
  clock.advance(ms);
  await until(() => sandbox.received.total >= total + requests && clock.running > 0);
}

const idsOf = (batches: readonly Batch[]) => batches.flatMap(({ events }) => events.map(({ id }) => id));

test("polls without news use no quota, and other polls use one request per page", async () => {
  sandbox.events.fill(EVENT, 250);
  const batches = watching();
  await until(() => batches.length === 1);
  const { total } = sandbox.received;
  const remaining = () => sandbox.received.last;
  for (let poll = 0; poll < 5; poll++) await pass(NEXT, 3);
  expect(sandbox.received.total).toBe(total + 15);
  expect(remaining()?.headers["if-none-match"]).toMatch(/^W\/"/);
  const answer = await createClient(EventService, rest.transport).listRepositoryEvents({
    owner: "octo",
    repo: "hello",
  });
  // The first poll requested three pages, and this call one.
  expect(answer.rateLimitUsed).toBe(4);
});

test("a late event on the third page is delivered and marked as late", async () => {
  sandbox.events.clear();
  const ids = sandbox.events.fill(EVENT, 250);
  const batches = watching();
  await until(() => batches.length === 1);
  const late = sandbox.events.publish({ ...EVENT, created: sandbox.events.now() - 27 * 86_400 });
  await pass(NEXT, 3);
  await until(() => batches.length === 2);
  expect(batches[1]).toMatchObject({ late: true, gap: false, events: [{ id: late }] });
  expect(ids).not.toContain(late);
});

test("if the whole timeline is replaced, a gap is reported, and the events arrive in the order of their creation", async () => {
  sandbox.events.fill(EVENT);
  const batches = watching();
  await until(() => batches.length === 1);
  const ids = Array.from({ length: 310 }, () => sandbox.events.publish(EVENT));
  await pass(NEXT, 3);
  await until(() => idsOf(batches).length === 300);
  expect(batches[1]?.gap).toBe(true);
  expect(idsOf(batches)).toEqual(ids.slice(-300));
});

test("generated events, many of them late, are delivered exactly once", async () => {
  sandbox.events.clear();
  sandbox.events.start({ perHour: 120, lateShare: 0.3, lateBy: [1, 600], repos: ["octo/hello"] });
  const batches = watching({ start: { case: "backlog", value: true } });
  await until(() => batches.length === 1);
  for (let poll = 0; poll < 40; poll++) {
    await pass(NEXT, 1);
  }
  const ids = idsOf(batches);
  expect(new Set(ids).size).toBe(ids.length);
  const listed = await createClient(EventService, rest.transport).listRepositoryEvents({
    owner: "octo",
    repo: "hello",
    perPage: 100,
  });
  expect(ids.length).toBeGreaterThanOrEqual(listed.events.length);
  expect(listed.events.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([]);
  expect(batches.some(({ late }) => late)).toBe(true);
});

test("polling follows a longer interval, and waits for the end of an outage, of the quota and of a secondary limit", async () => {
  const batches = watching();
  await until(() => batches.length === 1);
  sandbox.events.pollInterval = 120;
  await pass(NEXT, 1);
  const { total } = sandbox.received;
  for (const begin of [
    () => sandbox.events.outage({ seconds: 100 }),
    () => sandbox.events.throttle({ seconds: 200 }),
    () => sandbox.events.exhaust(sandbox.credentials.feedToken),
  ]) {
    begin();
    const id = sandbox.events.publish(EVENT);
    for (let minute = 0; minute < 65 && !idsOf(batches).includes(id); minute++) {
      sandbox.clock.advance(60_000);
      clock.advance(60_000);
      await until(() => clock.running > 0);
    }
    await until(() => idsOf(batches).includes(id));
  }
  expect(sandbox.received.total - total).toBeLessThan(40);
  expect(batches.some(({ gap }) => gap)).toBe(false);
});
