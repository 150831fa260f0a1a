import { expect, test } from "vitest";
import { OpenApi } from "./openapi/document.ts";
import { SINGLE_FILES } from "./openapi/families.ts";
import { checkRequests } from "./openapi/request-check.ts";

const RUNS = 30;

test.each(SINGLE_FILES)("all requests of %s are allowed by their operations", async (_, path) => {
  const { problems, unchecked } = await checkRequests(path, RUNS, OpenApi.read(path).operations);
  expect(problems).toEqual([]);
  expect(unchecked).toEqual([]);
});
