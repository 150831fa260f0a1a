import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test.each([
  ["there is no WebAssembly", undefined],
  [
    "a policy does not allow it",
    {
      Module: class {
        constructor() {
          throw new Error("Wasm code generation disallowed by embedder");
        }
      },
    },
  ],
])("without the scanner all is left to the decoder, silently, where %s", async (_, api) => {
  vi.resetModules();
  vi.stubGlobal("WebAssembly", api);
  const { ResponseScanner } = await import("../../runtime/src/response/scan-response.ts");
  expect(ResponseScanner.create()).toBeUndefined();
});
