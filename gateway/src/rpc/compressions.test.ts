import type { Compression } from "@connectrpc/connect/protocol";
import { expect, test } from "vitest";
import { withBoundedDecompression } from "./compressions.ts";

test("all compressions share one queue, and compress without it", async () => {
  let running = 0;
  let most = 0;
  const slow = (name: string): Compression => ({
    name,
    compress: (bytes) => Promise.resolve(Uint8Array.from(bytes)),
    decompress: async (bytes) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return Uint8Array.from(bytes);
    },
  });
  const [a, b] = withBoundedDecompression([slow("a"), slow("b")]);
  const bytes = Uint8Array.of(1, 2, 3);
  const results = [a, b, a, b, a].map((compression) => compression?.decompress(bytes, 10));
  expect(await Promise.all(results)).toEqual(new Array(5).fill(bytes));
  expect(most).toBe(2);
  expect([a?.name, await b?.compress(bytes)]).toEqual(["a", bytes]);
});
