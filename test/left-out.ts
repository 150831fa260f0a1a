/** The tests that `npm test` leaves to `npm run test:all`. */
import { globSync } from "node:fs";
import type { Reporter } from "vitest/node";

/** Patterns of test files that are left out, by reason. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  "need Go, or Python with pip": [
    "test/conformance/**/*.test.ts",
    "test/clients/**/*.test.ts",
    "test/deploy/schemas.test.ts",
  ],
  "need chromium": ["test/browser/**/*.test.ts"],
  "need PostgreSQL": ["test/sign-in/canary.test.ts", "test/sign-in/replicas.test.ts"],
  "need Redis": ["gateway/src/bus/redis-bus.test.ts", "test/feeds/bus-outage.test.ts"],
  "need protoc": ["test/generator-kit/both-compilers.test.ts", "test/generator-kit/insertions.test.ts"],
  "need minutes for all of Google's APIs": ["test/google/google.test.ts", "test/google/hostile.test.ts"],
  "attack for long, or fill buffers": [
    "gateway/src/cli/unread-output.test.ts",
    "gateway/src/listener/attack.test.ts",
    "gateway/src/listener/contention-attack.test.ts",
    "runtime/src/hostile-responses.test.ts",
    "test/feeds/detached-watch.test.ts",
    "test/verify/memory.test.ts",
  ],
  "open hundreds of files, so need their own process": ["gateway/src/listener/open-files.test.ts"],
  "need documents of real APIs": ["test/import/real-*.test.ts"],
  "replay thousands of recorded calls": ["gateway/src/fast-path/recorded-calls.test.ts"],
  "start and kill workers": ["gateway/src/workers/workers.test.ts", "test/feeds/workers.test.ts"],
  "build the packages, or run the benchmark": [
    "test/deploy/compose.test.ts",
    "test/end-to-end/bench.test.ts",
    "test/packages/clients.test.ts",
    "test/packages/examples.test.ts",
    "test/packages/packages.test.ts",
    "test/packages/platforms.test.ts",
  ],
};

/** A reporter that lists the tests that `npm test` left out. */
export const LEFT_OUT_NOTE: Reporter = {
  onTestRunEnd() {
    const reasons = Object.entries(LEFT_OUT).map(([reason, patterns]) => {
      const count = globSync(patterns).length;
      return `       ${reason} (${count} ${count === 1 ? "file" : "files"})\n`;
    });
    process.stdout.write(
      ` npm test leaves most draws of properties to npm run test:all, and tests that\n${reasons.join("")}\n`,
    );
  },
};
