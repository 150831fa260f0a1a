import { vi } from "vitest";

// Whoever uses a buffer after it was released finds nothing in it that was there.
vi.mock("../codec/src/buffers/pool.ts", async () => {
  const { BufferPool } = await import("../codec/src/buffers/buffer-pool.ts");
  return { pool: new BufferPool(true) };
});
