import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "{plugin,codec,tools,runtime,authorization,gateway,sandbox}/src/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    setupFiles: ["test/idle-process.ts", "test/poisoned-buffers.ts"],
    // generous, for machines that are busy: no test waits for a clock
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // on two processors the default is one worker; but many tests wait for processes and sockets
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
