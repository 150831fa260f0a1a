import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkBuffer } from "./chunk-buffer.ts";

test("property: chunks of any sizes are one piece in the end, and none of them is written to", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 }), (chunks) => {
      const copies = chunks.map((chunk) => Uint8Array.from(chunk));
      const buffer = new ChunkBuffer();
      for (const chunk of chunks) buffer.push(chunk);
      expect(buffer.bytes()).toEqual(Buffer.concat(copies));
      expect(buffer.size).toBe(buffer.bytes().length);
      expect(chunks).toEqual(copies);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("a single chunk is not copied, though it is a part of something larger", () => {
  const chunk = Buffer.from("abcdef").subarray(1, 4);
  const buffer = new ChunkBuffer();
  buffer.push(chunk);
  expect(buffer.bytes().buffer).toBe(chunk.buffer);
  expect(buffer.bytes().toString()).toBe("bcd");
});

test("a million chunks of one byte take no more than twice their bytes", () => {
  const buffer = new ChunkBuffer();
  for (let count = 0; count < 1_000_000; count++) buffer.push(Buffer.of(count % 256));
  expect(buffer.size).toBe(1_000_000);
  expect(buffer.bytes().buffer.byteLength).toBeLessThanOrEqual(2_000_000);
});

test("a buffer starts over after its bytes were taken, and leaves those alone", () => {
  const buffer = new ChunkBuffer();
  for (const text of ["ab", "cd"]) buffer.push(Buffer.from(text));
  const taken = buffer.take();
  for (const text of ["xy", "z"]) buffer.push(Buffer.from(text));
  expect([taken.toString(), buffer.take().toString(), buffer.size]).toEqual(["abcd", "xyz", 0]);
});
