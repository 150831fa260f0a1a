import type fs from "node:fs";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { fileSink } from "./standard-streams.ts";

type Written = (error: NodeJS.ErrnoException | null, written: number) => void;

/**
 * Creates a file that handles each write as the next entry of `takes` says: it accepts that many bytes, or
 * fails with EAGAIN. Once `takes` is empty, the file accepts everything.
 */
function stubbornFile(takes: (number | "EAGAIN")[]) {
  const taken: Uint8Array[] = [];
  const write = (_fd: number, bytes: Buffer, offset: number, length: number, _at: null, done: Written) => {
    const take = takes.shift() ?? length;
    if (take === "EAGAIN") {
      done(Object.assign(new Error("busy"), { code: "EAGAIN" }), 0);
    } else {
      const count = Math.min(take, length);
      taken.push(Uint8Array.from(bytes.subarray(offset, offset + count)));
      done(null, count);
    }
  };
  return { write: write as unknown as typeof fs.write, text: () => Buffer.concat(taken).toString() };
}

test("a terminal that accepts only part of a chunk, or rejects writes for a while, receives the whole chunk", async () => {
  vi.useFakeTimers();
  try {
    const takes = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant("EAGAIN" as const)));
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), takes, async (chunk, list) => {
        const file = stubbornFile([...list]);
        const done = new Promise((resolve) => fileSink(2, file.write)(chunk, resolve));
        await vi.runAllTimersAsync();
        expect(await done).toBeNull();
        expect(file.text()).toBe(chunk);
      }),
      { numRuns: 100 },
    );
  } finally {
    vi.useRealTimers();
  }
});
