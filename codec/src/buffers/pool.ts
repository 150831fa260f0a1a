import { BufferPool } from "./buffer-pool.ts";

/** The buffer pool of this process. */
export const pool = new BufferPool();
