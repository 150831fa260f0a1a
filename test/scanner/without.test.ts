import { create, toBinary } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const NONE = [
  ["WebAssembly is not available", undefined],
  [
    "a policy forbids WebAssembly",
    {
      Module: class {
        constructor() {
          throw new Error("Wasm code generation disallowed by embedder");
        }
      },
    },
  ],
] as const;

test.each(NONE)("if %s, the decoder reads all responses, and no error is logged", async (_, api) => {
  vi.resetModules();
  vi.stubGlobal("WebAssembly", api);
  const { ResponseScanner } = await import("../../runtime/src/response/scan-response.ts");
  expect(ResponseScanner.create()).toBeUndefined();
});

test.each(NONE)("if %s, protobuf-es prints all JSON", async (_, api) => {
  vi.resetModules();
  vi.stubGlobal("WebAssembly", api);
  const codec = await import("../../gateway/src/fast-path/codec.ts");
  const { wasmPrinter } = await import("../../codec/src/print/wasm-printer.ts");
  expect(wasmPrinter()).toBeUndefined();
  const bytes = toBinary(StringValueSchema, create(StringValueSchema, { value: "x" }));
  expect(Buffer.from(codec.printMessage(StringValueSchema, "json", bytes)).toString()).toBe('"x"');
});
