import { vi } from "vitest";

// A machine that is busy with other tests must not make a gateway under test reject calls.
// Tests of overload say the load.
vi.mock("../gateway/src/admission/process-load.ts", () => ({
  processLoad: () => () => ({ eventLoopDelayMs: 0, heapPercent: 0 }),
}));
