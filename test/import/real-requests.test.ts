import { expect, test } from "vitest";
import { cachedPath } from "../../scripts/import-counts.ts";
import { OpenApi } from "./openapi/document.ts";
import { checkRequests } from "./openapi/request-check.ts";
import { FETCHED, sampled } from "./real-sample.ts";

const RUNS = 8;
/** The maximum share of methods for which the generator finds too few valid requests. */
const UNCHECKED = 0.1;

test.skipIf(FETCHED.length === 0).each(FETCHED)(
  "requests of $name are allowed by their operations",
  async (real) => {
    const path = cachedPath(real);
    const operations = sampled(OpenApi.read(path).operations);
    const options = operations.flatMap((operation) => ["--include", `${operation.verb} ${operation.path}`]);
    const { problems, unchecked } = await checkRequests(path, RUNS, operations, options);
    expect(problems).toEqual([]);
    expect(unchecked.length).toBeLessThan(UNCHECKED * operations.length);
  },
  600_000,
);
