import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { hasManyDraws } from "./test/draws.ts";
import { LEFT_OUT, LEFT_OUT_NOTE } from "./test/left-out.ts";

const TESTS = ["{plugin,codec,tools,runtime,authorization,gateway,sandbox}/src/**/*.test.ts", "test/**/*.test.ts"];
const LONG = Object.values(LEFT_OUT).flat();

/**
 * Without a mode everything runs. The mode `short` is `npm test`: without the files of `LEFT_OUT`, with few
 * draws of properties. The mode `rest` is what `short` leaves out.
 */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "rest" ? [...LONG, ...globSync(TESTS).filter(isCut)] : TESTS,
    exclude: ["**/node_modules/**", ...(mode === "short" ? LONG : [])],
    setupFiles: [
      "test/idle-process.ts",
      "test/poisoned-buffers.ts",
      ...(mode === "short" ? ["test/few-draws.ts"] : []),
    ],
    env: { TEST_MODE: mode },
    reporters: ["default", ...(mode === "short" ? [LEFT_OUT_NOTE] : [])],
    // generous, for machines that are busy: no test waits for a clock
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // on two processors the default is one worker; but many tests wait for processes and sockets
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
}));

function isCut(file: string): boolean {
  return hasManyDraws(readFileSync(file, "utf8"));
}
