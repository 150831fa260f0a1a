import { expect, test } from "vitest";
import { cachedPath } from "../../scripts/import-counts.ts";
import { OpenApi } from "./openapi/document.ts";
import { checkAll } from "./openapi/echo-check.ts";
import { FETCHED, sampled } from "./real-sample.ts";

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
