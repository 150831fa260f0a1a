import fc from "fast-check";
import { expect, test } from "vitest";
import { BufferPool } from "./buffer-pool.ts";

const lengths = fc.oneof(
  fc.integer({ min: 0, max: 4096 }),
  fc.integer({ min: 0, max: 600_000 }),
  fc.constantFrom(...[2048, 4096, 65_536, 524_288].flatMap((size) => [size - 1, size, size + 1])),
);
const steps = fc.array(fc.record({ length: lengths, releases: fc.nat(40), times: fc.nat(2) }), {
  maxLength: 60,
});

test("property: no two owners share bytes, in any order of acquire and release", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const pool = new BufferPool();
      const held = new Map<number, Uint8Array>();
      all.forEach(({ length, releases, times }, id) => {
        const bytes = pool.acquire(length);
        expect(bytes.length).toBe(length);
        bytes.fill(id);
        held.set(id, bytes);
        const released = [...held.keys()][releases % held.size];
        const given = released !== undefined && times > 0 ? held.get(released) : undefined;
        if (given !== undefined && released !== undefined) held.delete(released);
        for (let count = 0; given !== undefined && count < times; count++) pool.release(given);
        for (const [owner, own] of held) expect(own.every((byte) => byte === owner)).toBe(true);
        expect(pool.keptBytes).toBeLessThanOrEqual(16 * 1024 * 1024);
      });
    }),
    { interruptAfterTimeLimit: 3000 },
  );
});

test("a released buffer is reused for the next buffer that fits, even if only a view of it was released", () => {
  const pool = new BufferPool();
  const bytes = pool.acquire(20_000);
  pool.release(bytes.subarray(5, 10));
  expect(pool.keptBytes).toBe(32_768);
  expect(pool.acquire(17_000).buffer).toBe(bytes.buffer);
  expect(pool.keptBytes).toBe(0);
  expect(pool.acquire(17_000).buffer).not.toBe(bytes.buffer);
});

test("release ignores foreign buffers and buffers that are already released", () => {
  const pool = new BufferPool();
  for (const other of [Buffer.alloc(20_000), new Uint8Array(20_000), new Uint8Array(0)]) pool.release(other);
  expect(pool.keptBytes).toBe(0);
  const bytes = pool.acquire(20_000);
  pool.release(bytes);
  pool.release(bytes);
  new BufferPool().release(bytes);
  expect(pool.keptBytes).toBe(32_768);
  expect(pool.acquire(20_000).buffer).not.toBe(pool.acquire(20_000).buffer);
});

test("the pool keeps at most 16 MiB", () => {
  const pool = new BufferPool();
  const held = Array.from({ length: 100 }, () => pool.acquire(512 * 1024));
  for (const bytes of held) pool.release(bytes);
  expect(pool.keptBytes).toBe(16 * 1024 * 1024);
});

test("releasing any view of a buffer that is too large to keep frees the memory of this buffer only", () => {
  const pool = new BufferPool();
  const [bytes, other] = [pool.acquire(512 * 1024 + 1), pool.acquire(512 * 1024 + 1)];
  const foreign = Buffer.alloc(600_000);
  pool.release(bytes.subarray(7, 9));
  pool.release(bytes);
  pool.release(foreign);
  new BufferPool().release(other);
  expect([bytes, other, foreign].map(({ length }) => length)).toEqual([0, 512 * 1024 + 1, 600_000]);
  expect(pool.keptBytes).toBe(0);
});

test("a poisoned pool overwrites released buffers", () => {
  const pool = new BufferPool(true);
  const bytes = pool.acquire(3000).fill(1);
  pool.release(bytes);
  expect(bytes.every((byte) => byte === 0xa5)).toBe(true);
});
