import fc from "fast-check";
import { expect, test } from "vitest";
import { Gathered } from "./chunk-buffer.ts";

test("property: chunks of any sizes are one piece in the end, and none of them is written to", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 }), (chunks) => {
      const copies = chunks.map((chunk) => Uint8Array.from(chunk));
      const gathered = new Gathered();
      for (const chunk of chunks) gathered.push(chunk);
      expect(gathered.bytes()).toEqual(Buffer.concat(copies));
      expect(gathered.size).toBe(gathered.bytes().length);
      expect(chunks).toEqual(copies);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("a single chunk is not copied, though it is a part of something larger", () => {
  const chunk = Buffer.from("abcdef").subarray(1, 4);
  const gathered = new Gathered();
  gathered.push(chunk);
  expect(gathered.bytes().buffer).toBe(chunk.buffer);
  expect(gathered.bytes().toString()).toBe("bcd");
});

test("a million chunks of one byte take no more than twice their bytes", () => {
  const gathered = new Gathered();
  for (let count = 0; count < 1_000_000; count++) gathered.push(Buffer.of(count % 256));
  expect(gathered.size).toBe(1_000_000);
  expect(gathered.bytes().buffer.byteLength).toBeLessThanOrEqual(2_000_000);
});
