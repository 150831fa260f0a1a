import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { cachedPath, REAL_DOCUMENTS } from "../../scripts/import-counts.ts";
import { OpenApi } from "./openapi/document.ts";
import { checkRequests } from "./openapi/request-check.ts";

const FETCHED = REAL_DOCUMENTS.filter((document) => existsSync(cachedPath(document)));
const OPERATIONS = 40;
const RUNS = 8;
/** The maximum share of methods for which the generator finds too few valid requests. */
const UNCHECKED = 0.1;

test.skipIf(FETCHED.length === 0).each(FETCHED)(
  "requests of $name are allowed by their operations",
  async (real) => {
    const path = cachedPath(real);
    const { operations } = OpenApi.read(path);
    const step = Math.max(1, Math.floor(operations.length / OPERATIONS));
    const sampled = operations.filter((_, index) => index % step === 0);
    const options = sampled.flatMap((operation) => ["--include", `${operation.verb} ${operation.path}`]);
    const { problems, unchecked } = await checkRequests(path, RUNS, sampled, options);
    expect(problems).toEqual([]);
    expect(unchecked.length).toBeLessThan(UNCHECKED * sampled.length);
  },
  600_000,
);
