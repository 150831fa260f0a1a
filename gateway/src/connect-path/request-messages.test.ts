import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { compressionGzip } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { EchoRequestSchema, EchoService } from "../gen/echo/v1/echo_pb.ts";
import { withDefaultLimits } from "../limits.ts";
import { envelopes } from "../protocol/envelope.ts";
import { type MessageOptions, readEnvelopes, readWhole } from "./request-messages.ts";

const MAX_BYTES = 100_000;
const message = toBinary(EchoRequestSchema, create(EchoRequestSchema, { text: "a" }));
const { messageDepth: depth } = withDefaultLimits();

function options(changes: Partial<MessageOptions> = {}): MessageOptions {
  return {
    call: { key: "a", method: EchoService.method.join, messageCost: 0 },
    signal: new AbortController().signal,
    isJson: false,
    compression: compressionGzip,
    decompress: (compression, bytes) => compression.decompress(bytes, MAX_BYTES),
    maxBytes: MAX_BYTES,
    cost: { limit: 20_000, depth, types: undefined },
    ...changes,
  };
}

async function* pieces(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

async function all(messages: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const each of messages) found.push(each);
  return Buffer.concat(found);
}

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((reason: unknown) => reason);
  return error instanceof ConnectError ? `${Code[error.code]}: ${error.rawMessage}` : "none";
}

test("enveloped messages are decompressed, and envelopes that connect rejects are passed through unchanged", async () => {
  const cut = envelopes([0, message]).subarray(0, 6);
  const body = envelopes([0, message], [1, gzipSync(message)], [2, gzipSync(message)], [0, new Uint8Array()]);
  const plain = envelopes([0, message], [0, message], [2, gzipSync(message)], [0, new Uint8Array()]);
  expect(await all(readEnvelopes(pieces(body, cut), options()))).toEqual(Buffer.concat([plain, cut]));
  expect(await all(readEnvelopes(pieces(body, cut), options({ compression: undefined })))).toEqual(
    Buffer.concat([body, cut]),
  );
});

test("a message that is a whole body is decompressed, and a body that is too large is passed through unchanged", async () => {
  expect(await all(readWhole(pieces(gzipSync(message)), options()))).toEqual(Buffer.from(message));
  const large = Buffer.alloc(MAX_BYTES + 1);
  expect(await all(readWhole(pieces(large), options()))).toEqual(large);
});

test("a message whose decoding costs too much is rejected in every form, and the cost of an accepted message is recorded", async () => {
  const bomb = Buffer.alloc(50_000, Uint8Array.of(0x78, 0));
  const tooCostly =
    "ResourceExhausted: the message has too many values: decoding it costs more than messageCost, 20000";
  expect(await failure(all(readEnvelopes(pieces(envelopes([0, bomb])), options())))).toBe(tooCostly);
  expect(await failure(all(readEnvelopes(pieces(envelopes([1, gzipSync(bomb)])), options())))).toBe(
    tooCostly,
  );
  expect(await failure(all(readWhole(pieces(gzipSync(bomb)), options())))).toBe(tooCostly);
  const json = Buffer.from(`{"x":[${"[],".repeat(10_000)}[]]}`);
  expect(await failure(all(readEnvelopes(pieces(envelopes([0, json])), options({ isJson: true }))))).toBe(
    tooCostly,
  );
  const dear = options();
  await all(readEnvelopes(pieces(envelopes([0, bomb.subarray(0, 2000)])), dear));
  expect(dear.call.messageCost).toBe(10_000);
});

test("ten streams with many small messages in one chunk do not block the event loop", async () => {
  const body = envelopes(...Array.from({ length: 2_000 }, () => [0, message] as const));
  let inTurn = 0;
  let most = 0;
  let total = 0;
  let isOver = false;
  const turns = (async () => {
    for (; !isOver; inTurn = 0) await setImmediate();
  })();
  const streams = Array.from({ length: 10 }, async () => {
    for await (const _ of readEnvelopes(pieces(body), options())) {
      total++;
      most = Math.max(most, ++inTurn);
    }
  });
  await Promise.all(streams);
  isOver = true;
  await turns;
  expect(total).toBe(20_000);
  // each of the ten streams reads its first messages in the same turn
  expect(most).toBeLessThanOrEqual(10 * 40);
});
