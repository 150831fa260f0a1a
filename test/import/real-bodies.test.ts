import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { cachedPath, REAL_DOCUMENTS } from "../../scripts/import-counts.ts";
import { OpenApi, type Operation } from "./openapi/document.ts";
import { checkAll } from "./openapi/echo-check.ts";

const FETCHED = REAL_DOCUMENTS.filter((document) => existsSync(cachedPath(document)));
const OPERATIONS = 40;
const RUNS = 10;
/** The maximum share of bodies for which no valid value is generated. */
const UNCHECKED = 0.1;

test.skipIf(FETCHED.length === 0).each(FETCHED)(
  "valid bodies of $name are decoded without losses, and printed without changes",
  async (real) => {
    const document = OpenApi.read(cachedPath(real));
    const operations = sampled(document.operations);
    const { problems, unchecked } = await checkAll(document, operations, RUNS);
    expect(problems).toEqual([]);
    expect(unchecked.length).toBeLessThan(UNCHECKED * operations.length);
  },
  600_000,
);

/** Returns operations from all parts of a document. */
function sampled(operations: readonly Operation[]): readonly Operation[] {
  const step = Math.max(1, Math.floor(operations.length / OPERATIONS));
  return operations.filter((_, index) => index % step === 0);
}
