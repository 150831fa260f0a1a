import { vi } from "vitest";

// Load from other tests on the machine must not make a gateway under test reject calls. Tests of overload set
// the load themselves.
vi.mock("../gateway/src/admission/process-load.ts", () => ({
  processLoad: () => () => ({ eventLoopDelayMs: 0, heapPercent: 0 }),
}));
