import { vi } from "vitest";

// Disables load shedding: load from other tests on the machine must not make a gateway reject calls. Tests of
// overload set the load themselves.
vi.mock("../gateway/src/admission/process-load.ts", () => ({
  processLoad: () => () => ({ eventLoopDelayMs: 0, heapPercent: 0 }),
}));
