import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { hasManyDraws } from "./test/draws.ts";
import { LEFT_OUT, LEFT_OUT_NOTE } from "./test/left-out.ts";

const TESTS = [
  "{plugin,codec,runtime,authorization,gateway,import,sandbox,console}/src/**/*.test.ts",
  "test/**/*.test.ts",
];
const LONG = Object.values(LEFT_OUT).flat();

/**
 * The mode `short` is `npm test`: without the files of `LEFT_OUT`, and with fewer draws of properties. The
 * mode `rest` runs the tests that `short` leaves out. Without a mode all tests run completely.
 */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "rest" ? [...LONG, ...globSync(TESTS).filter(isCut)] : TESTS,
    exclude: ["**/node_modules/**", ...(mode === "short" ? LONG : [])],
    // Files that share modules load in half the time. The tests of `LEFT_OUT` measure memory, and turns of
    // the event loop.
    isolate: mode !== "short",
    setupFiles: ["test/idle-process.ts", "test/poisoned-buffers.ts", "test/fast-check.ts"],
    env: {
      TEST_MODE: mode,
      // Processes started by tests start in half the time if their modules are in the compile cache.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/connect-rest/compiled"),
    },
    reporters: ["default", ...(mode === "short" ? [LEFT_OUT_NOTE] : [])],
    // Generous, because machines can be busy. No test measures this time.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // More workers than processors, because many tests wait for processes and sockets.
    maxWorkers: availableParallelism() + 1,
  },
}));

function isCut(file: string): boolean {
  return hasManyDraws(readFileSync(file, "utf8"));
}
