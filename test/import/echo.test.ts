import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryDocument } from "./openapi/arbitrary-documents.ts";
import { OpenApi } from "./openapi/document.ts";
import { echoesOf } from "./openapi/echo.ts";
import { checkAll } from "./openapi/echo-check.ts";
import { SINGLE_FILES } from "./openapi/families.ts";

const RUNS = 25;

/** The documents with JSON bodies. */
const ECHOED = SINGLE_FILES.map(([name, path]) => [name, OpenApi.read(path)] as const).filter(
  ([, document]) => {
    return echoesOf(document, document.operations).length > 0;
  },
);

test.each(ECHOED)(
  "valid bodies of %s are decoded without losses, and printed without changes",
  async (_, document) => {
    const { problems, unchecked } = await checkAll(document, document.operations, RUNS);
    expect(problems).toEqual([]);
    expect(unchecked).toEqual([]);
  },
);

test.each(["3.0.3", "3.1.0"] as const)(
  "property: valid bodies of any OpenAPI %s document are decoded without losses, and printed without changes",
  async (version) => {
    for (const document of fc.sample(arbitraryDocument(version), 1)) {
      const { problems, unchecked } = await checkAll(document, document.operations, RUNS);
      expect(problems).toEqual([]);
      // a recursive schema may have no finite values
      expect(unchecked.length).toBeLessThan(10);
    }
  },
);
