import { createRequire } from "node:module";
import path from "node:path";
import { type TracerProvider, trace } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { flushTelemetry } from "./telemetry.ts";

const require = createRequire(import.meta.url);
afterEach(() => trace.disable());

/** Loads another copy of the API, as an SDK in another package would. */
function otherCopy(): typeof import("@opentelemetry/api") {
  const entry = require.resolve("@opentelemetry/api");
  const root = path.join("@opentelemetry", "api", path.sep);
  for (const file of Object.keys(require.cache)) if (file.includes(root)) delete require.cache[file];
  return require(entry);
}

test.each([
  ["the gateway's copy of the API", trace],
  ["a separate copy of the API", otherCopy().trace],
])("flushTelemetry flushes an SDK's provider that was registered with %s", async (_copy, api) => {
  let flushed = 0;
  const provider: TracerProvider & { readonly forceFlush: () => Promise<void> } = {
    getTracer: (name) => trace.getTracer(name),
    forceFlush: async () => {
      flushed++;
    },
  };
  expect(api.setGlobalTracerProvider(provider)).toBe(true);
  await flushTelemetry();
  expect(flushed).toBe(1);
});
