/** Tests that a stream yields to the event loop after a bounded share of work. */
import { setImmediate } from "node:timers/promises";
import type { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { linesOf } from "../../runtime/src/stream/lines.ts";
import { eventsOf } from "../../runtime/src/stream/server-events.ts";
import { Pacer } from "../../runtime/src/time/pacer.ts";
import { StreamService } from "../gen/rules/v1/streams_pb.ts";
import { StreamServiceRest } from "../gen/rules/v1/streams_rest.ts";
import { AssistantService } from "../gen/world/v1/assistant_pb.ts";
import { AssistantServiceRest } from "../gen/world/v1/assistant_rest.ts";
import { ClusterService } from "../gen/world/v1/cluster_pb.ts";
import { ClusterServiceRest } from "../gen/world/v1/cluster_rest.ts";
import { ModelService } from "../gen/world/v1/models_pb.ts";
import { ModelServiceRest } from "../gen/world/v1/models_rest.ts";
import { start } from "./world.ts";

/** The maximum number of messages per event-loop turn. The input has many times more messages. */
const MOST_PER_TURN = 1_000;
const MANY = 20_000;

const upstream = { credentials: { apiKey: "key", oauth2: { accessToken: "token" } } };

/**
 * Reads a stream completely. Returns the number of messages, and the highest number in one event-loop turn.
 */
async function read(messages: AsyncIterable<unknown>) {
  let count = 0;
  let inTurn = 0;
  let most = 0;
  let isOver = false;
  const turns = (async () => {
    while (!isOver) {
      inTurn = 0;
      await setImmediate();
    }
  })();
  try {
    for await (const _ of messages) {
      count++;
      most = Math.max(most, ++inTurn);
    }
  } finally {
    isOver = true;
    await turns;
  }
  return { count, most };
}

test("reading an array of many small items yields to the event loop", async () => {
  const { client } = await start(ModelService, ModelServiceRest, {
    body: `[${Array(MANY).fill("{}").join()}]`,
  });
  const { count, most } = await read(client.exportRows({ table: "t" }));
  expect(count).toBe(MANY);
  expect(most).toBeLessThan(MOST_PER_TURN);
});

test("many concurrent streams yield to the event loop as often as one stream", async () => {
  const { client } = await start(ModelService, ModelServiceRest, {
    body: `[${Array(2_000).fill("{}").join()}]`,
  });
  let count = 0;
  let last = 0;
  const perTurn: number[] = [];
  let isOver = false;
  const turns = (async () => {
    for (; !isOver; last = count) {
      await setImmediate();
      perTurn.push(count - last);
    }
  })();
  const streams = Array.from({ length: 20 }, async () => {
    for await (const _ of client.exportRows({ table: "t" })) count++;
  });
  await Promise.all(streams);
  isOver = true;
  await turns;
  expect(count).toBe(40_000);
  // In the first turn after the bodies arrive, each stream may process a full share.
  const busy = perTurn.sort((a, b) => a - b).slice(0, -40);
  expect(Math.max(...busy)).toBeLessThan(MOST_PER_TURN);
});

test("reading many short lines yields to the event loop", async () => {
  const { client } = await start(
    ClusterService,
    ClusterServiceRest,
    { body: "{}\n".repeat(MANY) },
    { upstream },
  );
  const { count, most } = await read(client.watchPods({ namespace: "n" }));
  expect(count).toBe(MANY);
  expect(most).toBeLessThan(MOST_PER_TURN);
});

test("reading many small events yields to the event loop", async () => {
  const { client } = await start(
    AssistantService,
    AssistantServiceRest,
    { headers: { "content-type": "text/event-stream" }, body: "data:\n\n".repeat(MANY) },
    { upstream },
  );
  const { count, most } = await read(client.watchLog({ runId: "r" }));
  expect(count).toBe(MANY);
  expect(most).toBeLessThan(MOST_PER_TURN);
});

test("reading a page of many items yields to the event loop", async () => {
  const items = Array.from({ length: MANY }, (_, id) => ({ id }));
  const { client } = await start(StreamService, StreamServiceRest, [{ json: items }]);
  const { count, most } = await read(client.byLinkHeader({}));
  expect(count).toBe(MANY);
  expect(most).toBeLessThan(MOST_PER_TURN);
});

test("a poll with many new items yields to the event loop", async () => {
  const items = (from: number) => Array.from({ length: MANY }, (_, id) => ({ id: from + id }));
  const { client } = await start(StreamService, StreamServiceRest, (_request, index) =>
    index === 0
      ? { json: { entries: [] }, headers: { "x-poll-interval": "1" } }
      : { json: { entries: items(index * MANY) } },
  );
  const left = new AbortController();
  async function* some() {
    let count = 0;
    for await (const entry of client.watchEntries({ name: "n" }, { signal: left.signal })) {
      yield entry;
      if (++count === MANY) return;
    }
  }
  const { count, most } = await read(some());
  left.abort();
  expect(count).toBe(MANY);
  expect(most).toBeLessThan(MOST_PER_TURN);
});

/** Yields many chunks without waiting. */
async function* chunks(text: string, count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield Buffer.from(text);
}

test.each([
  ["empty lines in one chunk", "\n".repeat(65_536), 1],
  ["chunks of one empty line", "\n", 65_536],
  ["comments", ":\n".repeat(32_768), 1],
])("input without records yields to the event loop: %s", async (_name, text, count) => {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  let lines = 0;
  for await (const batch of linesOf(chunks(text, count), "lf", 1e6, new Pacer())) lines += batch.length;
  for await (const event of eventsOf(linesOf(chunks(text, count), "any", 1e6, new Pacer()), 1e6)) {
    throw new Error(`expected no event, got ${event.data}`);
  }
  isOver = true;
  await others;
  expect(turns).toBeGreaterThan((2 * lines) / MOST_PER_TURN);
});

test("the deadline ends an endless client stream of empty messages", async () => {
  const { client } = await start(StreamService, StreamServiceRest);
  async function* endless() {
    for (;;) yield { name: "n", chunk: new Uint8Array() };
  }
  const error = await client
    .uploadBody(endless(), { timeoutMs: 200 })
    .catch((thrown: ConnectError) => thrown);
  expect(String(error)).toContain("deadline_exceeded");
});

test("a caller who cancels inside a chunk of many records receives at most one share of the records", async () => {
  const { client } = await start(ModelService, ModelServiceRest, {
    body: `[${Array(MANY).fill("{}").join()}]`,
  });
  const left = new AbortController();
  let count = 0;
  const error = await (async () => {
    for await (const _ of client.exportRows({ table: "t" }, { signal: left.signal })) {
      if (++count === 1) left.abort();
    }
  })().catch((thrown: ConnectError) => thrown);
  expect(String(error)).toContain("canceled");
  expect(count).toBeLessThan(MOST_PER_TURN);
});
