import { setImmediate } from "node:timers/promises";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { UploadBody } from "./upload-body.ts";

/** A step of a stream: a message with a chunk, or a number of event-loop turns to wait. */
type Step = Uint8Array | number;

function bodyOf(steps: readonly Step[], failure?: Error): UploadBody {
  async function* messages() {
    for (const step of steps) {
      const turns = typeof step === "number" ? step : 0;
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      if (typeof step !== "number") yield { step };
    }
    if (failure !== undefined) throw failure;
  }
  const chunkOf = (message: unknown) => (message as { readonly step: Uint8Array }).step;
  return new UploadBody(messages() as unknown as AsyncIterable<MessageShape<DescMessage>>, chunkOf);
}

async function chunksOf(body: UploadBody): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks;
}

const steps = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.nat(3),
    fc.integer({ min: 1, max: 100_000 }).map((length) => Buffer.alloc(length, length % 251)),
  ),
  { maxLength: 60 },
);
const partsOf = (all: readonly Step[]) => all.filter((step) => typeof step !== "number");

test("property: a body has the bytes of its messages in order, and no empty chunk", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const chunks = await chunksOf(bodyOf(all));
      expect(Buffer.concat(chunks).equals(Buffer.concat(partsOf(all)))).toBe(true);
      expect(chunks.every(({ length }) => length > 0)).toBe(true);
    }),
    { numRuns: 200, interruptAfterTimeLimit: 10_000 },
  );
});

test("property: a failing stream sends all earlier messages as its body, and then fails with the error", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const body = bodyOf(all, new Error("my own"));
      const chunks: Uint8Array[] = [];
      const reading = (async () => {
        for await (const chunk of body) chunks.push(chunk);
      })();
      await expect(reading).rejects.toThrow("my own");
      expect(Buffer.concat(chunks).equals(Buffer.concat(partsOf(all)))).toBe(true);
    }),
    { numRuns: 100, interruptAfterTimeLimit: 10_000 },
  );
});

test.each([1, 10, 1000])(
  "ten thousand messages of %i bytes that arrive together are sent in few chunks",
  async (size) => {
    const chunks = await chunksOf(bodyOf(Array(10_000).fill(Buffer.alloc(size))));
    expect(chunks.length).toBeLessThanOrEqual(10_000 / 32);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(64 * 1024 + size);
  },
);

test("a single message is sent as a chunk, without waiting for the next message", async () => {
  const body = bodyOf([Buffer.from("a"), 1_000_000, Buffer.from("b")]);
  expect((await body.next()).value).toEqual(Buffer.from("a"));
  body.stop();
});
