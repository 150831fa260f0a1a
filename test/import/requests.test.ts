import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SEED } from "../draws.ts";
import { demandingDocument } from "./openapi/demanding-documents.ts";
import { OpenApi } from "./openapi/document.ts";
import { SINGLE_FILES } from "./openapi/families.ts";
import { checkRequests } from "./openapi/request-check.ts";

const RUNS = 30;

test.each(SINGLE_FILES)("all requests of %s are allowed by their operations", async (_, path) => {
  const { problems, unchecked } = await checkRequests(path, RUNS, OpenApi.read(path).operations);
  expect(problems).toEqual([]);
  expect(unchecked).toEqual([]);
});

test.each(["3.0.3", "3.1.0"] as const)(
  "property: requests of any OpenAPI %s document have all keys that it requires, except reported keys",
  async (version) => {
    const [document] = fc.sample(demandingDocument(version), {
      numRuns: 1,
      ...(SEED === undefined ? {} : { seed: SEED }),
    });
    const folder = mkdtempSync(join(tmpdir(), "demanding-"));
    const path = join(folder, "document.json");
    writeFileSync(path, JSON.stringify(document?.value));
    const { problems, unchecked } = await checkRequests(path, RUNS, document?.operations ?? []);
    rmSync(folder, { recursive: true });
    expect(problems).toEqual([]);
    expect(unchecked).toEqual([]);
  },
);
