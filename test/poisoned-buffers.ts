import { vi } from "vitest";

// Clears buffers when they are released, so that code that uses a released buffer fails.
vi.mock("../codec/src/buffers/pool.ts", async () => {
  const { BufferPool } = await import("../codec/src/buffers/buffer-pool.ts");
  return { pool: new BufferPool(true) };
});
