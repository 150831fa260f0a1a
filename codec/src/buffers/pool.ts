import { BufferPool } from "./buffer-pool.ts";

/** The buffers of this process. */
export const pool = new BufferPool();
