import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkBuffer } from "./chunk-buffer.ts";

test("property: a ChunkBuffer joins chunks of any size into one buffer, and never writes to a chunk", () => {
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

test("property: a ChunkBuffer joins copied chunks for any announced length, and never overwrites bytes already taken", () => {
  const step = fc.record({
    chunk: fc.uint8Array({ minLength: 1, maxLength: 9000 }),
    isCopied: fc.boolean(),
    announced: fc.oneof(fc.nat(20_000), fc.constant(2 ** 40)),
    next: fc.constantFrom("", "bytes", "take"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const buffer = new ChunkBuffer();
      const had: (readonly [Buffer, Buffer])[] = [];
      let expected: Buffer = Buffer.alloc(0);
      for (const { chunk, isCopied, announced, next } of steps) {
        expected = Buffer.concat([expected, chunk]);
        if (isCopied) {
          buffer.copy(chunk, announced);
          chunk.fill(0);
        } else {
          buffer.push(chunk);
        }
        expect(buffer.bytes().equals(expected)).toBe(true);
        if (next === "bytes") had.push([buffer.bytes(), expected]);
        if (next === "take") {
          buffer.take();
          expected = Buffer.alloc(0);
        }
      }
      for (const [bytes, copy] of had.slice(-1)) expect(bytes.equals(copy)).toBe(true);
    }),
    { interruptAfterTimeLimit: 3000 },
  );
});

test("a ChunkBuffer reserves at most 256 KiB for an announced length before any chunk arrives", () => {
  const buffer = new ChunkBuffer();
  buffer.copy(Buffer.alloc(3000), 2 ** 40);
  expect(buffer.bytes().buffer.byteLength).toBe(256 * 1024);
});

test("a ChunkBuffer reserves exactly the announced length once an eighth of it has arrived", () => {
  const buffer = new ChunkBuffer();
  const announced = 8 * 2 ** 20;
  const sizes = new Set<number>();
  for (let count = 0; count < 128; count++) {
    buffer.copy(Buffer.alloc(64 * 1024), announced);
    sizes.add(buffer.bytes().buffer.byteLength);
  }
  expect([...sizes]).toEqual([256 * 1024, 512 * 1024, 2 ** 20, announced]);
});

test("a ChunkBuffer does not copy a single chunk, even if the chunk is a view of a larger buffer", () => {
  const chunk = Buffer.from("abcdef").subarray(1, 4);
  const buffer = new ChunkBuffer();
  buffer.push(chunk);
  expect(buffer.bytes().buffer).toBe(chunk.buffer);
  expect(buffer.bytes().toString()).toBe("bcd");
});

test("a million chunks of one byte take at most twice the memory of their bytes", () => {
  const buffer = new ChunkBuffer();
  for (let count = 0; count < 1_000_000; count++) buffer.push(Buffer.of(count % 256));
  expect(buffer.size).toBe(1_000_000);
  expect(buffer.bytes().buffer.byteLength).toBeLessThanOrEqual(2_000_000);
});

test("a ChunkBuffer is empty after take, and does not change the bytes taken", () => {
  const buffer = new ChunkBuffer();
  for (const text of ["ab", "cd"]) buffer.push(Buffer.from(text));
  const taken = buffer.take();
  for (const text of ["xy", "z"]) buffer.push(Buffer.from(text));
  expect([taken.toString(), buffer.take().toString(), buffer.size]).toEqual(["abcd", "xyz", 0]);
});
