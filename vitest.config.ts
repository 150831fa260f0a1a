import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{plugin,runtime,gateway,sandbox}/src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
