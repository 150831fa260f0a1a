/**
 * The layers of each package: what is directly in its `src/`, from top to bottom. A file imports from its own entry
 * and from entries below, never from one above. `CONTRIBUTING.md` shows the same lists, and a test compares them.
 *
 * Tests, and what is in a folder `testing/`, may import everything.
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  runtime: [
    "testing/",
    "index.ts",
    "rest.ts",
    "transport.ts",
    "invoke.ts",
    "adapter.ts",
    "stream/",
    "call/",
    "response/",
    "upstream/",
    "retry/",
    "breaker/",
    "rate-limit/",
    "credentials/",
    "request/",
    "errors/",
    "adapter/",
    "decode/",
    "json/",
    "http/",
    "text/",
    "time/",
    "version.ts",
    "gen/",
  ],
  plugin: [],
  tools: [],
  gateway: [],
  sandbox: [],
};
