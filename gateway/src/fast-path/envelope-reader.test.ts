import fc from "fast-check";
import { expect, test } from "vitest";
import { envelopes } from "../protocol/envelope.ts";
import { EnvelopeReader } from "./envelope-reader.ts";

const LIMIT = 64;
const TRAILERS = 0x80;

/** Returns the outcome of reading a body that arrives in the given chunks. */
function outcome(chunks: readonly Uint8Array[], skippedFlag = 0): unknown {
  const reader = new EnvelopeReader(LIMIT, skippedFlag);
  try {
    for (const chunk of chunks) if (reader.push(chunk)) break;
    const { bytes, isCompressed, problem } = reader.end();
    return { bytes: Buffer.from(bytes).toString("hex"), isCompressed, problem: problem?.message };
  } catch (error) {
    return String(error);
  }
}

function cut(body: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = places.map((place) => place % (body.length + 1)).sort((a, b) => a - b);
  return [...sorted, body.length].map((end, i) => body.subarray(sorted[i - 1] ?? 0, end));
}

const message = fc.tuple(fc.constantFrom(0, 1, TRAILERS), fc.uint8Array({ maxLength: LIMIT + 2 }));
const body = fc
  .tuple(fc.array(message, { maxLength: 3 }), fc.uint8Array({ maxLength: 7 }))
  .map(([messages, rest]) => Buffer.concat([envelopes(...messages), rest]));

test("a body decodes to the same message, however it is split into chunks", () => {
  fc.assert(
    fc.property(body, fc.array(fc.nat()), fc.constantFrom(0, TRAILERS), (bytes, places, skippedFlag) => {
      expect(outcome(cut(bytes, places), skippedFlag)).toEqual(outcome([bytes], skippedFlag));
    }),
    { interruptAfterTimeLimit: 2000, numRuns: 2000 },
  );
});

const one = Buffer.from("one");
const two = Buffer.from("two");
const oneIs = { bytes: "6f6e65", isCompressed: false, problem: undefined };
const MISSING = "ConnectError: [unimplemented] protocol error: missing input message for unary method";
const EXTRA = "[unimplemented] protocol error: received extra input message for unary method";
const INCOMPLETE = "[invalid_argument] protocol error: incomplete envelope";

test.each([
  ["one message", envelopes([0, one]), oneIs],
  ["one compressed message", envelopes([1, one]), { ...oneIs, isCompressed: true }],
  ["no message", Buffer.alloc(0), MISSING],
  ["only trailers", envelopes([TRAILERS, one]), MISSING],
  ["trailers before and after a message", envelopes([TRAILERS, two], [0, one], [TRAILERS, two]), oneIs],
  ["two messages", envelopes([0, one], [0, two]), { ...oneIs, problem: EXTRA }],
  ["part of a message", envelopes([0, one]).subarray(0, 7), `ConnectError: ${INCOMPLETE}`],
  [
    "a message and part of another",
    Buffer.concat([envelopes([0, one]), two]),
    { ...oneIs, problem: INCOMPLETE },
  ],
])("reads a body with %s", (_, bytes, expected) => {
  expect(outcome([bytes], TRAILERS)).toEqual(expected);
});

test("a length over the limit is rejected before the message arrives", () => {
  const prefix = Buffer.of(0, 0xff, 0xff, 0xff, 0xff);
  const text = "message size 4294967295 is larger than configured readMaxBytes 64";
  expect(outcome([prefix])).toBe(`ConnectError: [resource_exhausted] ${text}`);
});

test("a message without an envelope gets an error about the missing envelope, not about its size", () => {
  const json = fc.json().filter((text) => /^["[{]/.test(text));
  fc.assert(
    fc.property(json, fc.integer({ min: 1, max: 20 }), (text, size) => {
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(outcome(chunks)).toContain(
        "[invalid_argument] protocol error: expected each message in an envelope",
      );
    }),
  );
});
