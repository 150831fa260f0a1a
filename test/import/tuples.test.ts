import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runImport } from "./project.ts";

/** Returns the report of a document whose only operation has this list in its requests. */
async function reportOf(list: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tuples-"));
  const content = { "application/json": { schema: { type: "array", ...list } } };
  const document = {
    openapi: "3.1.0",
    info: { title: "Lists", version: "1" },
    servers: [{ url: "https://lists.example.com" }],
    paths: {
      "/list": {
        put: { operationId: "putList", requestBody: { content }, responses: { 204: { description: "" } } },
      },
    },
  };
  const path = join(folder, "openapi.json");
  const report = join(folder, "report.txt");
  writeFileSync(path, JSON.stringify(document));
  expect(await runImport([path, "--output", join(folder, "out"), "--report", report])).toMatchObject({
    code: 0,
  });
  const text = readFileSync(report, "utf8");
  rmSync(folder, { recursive: true });
  return text;
}

const TEXT = { type: "string" };
const NUMBER = { type: "number" };

test.each([
  [{ minItems: 1, prefixItems: [TEXT, NUMBER, TEXT] }, ["1"]],
  [{ prefixItems: [TEXT, NUMBER], items: NUMBER }, ["0", "1"]],
  [{ minItems: 1, prefixItems: [TEXT, NUMBER] }, []],
  [{ minItems: 1, prefixItems: [TEXT, { type: ["number", "null"] }, TEXT] }, []],
  [{ minItems: 2, prefixItems: [TEXT, NUMBER, TEXT] }, []],
])("items that null may stand for are reported: %j", async (list, indexes) => {
  const lines = (await reportOf(list)).split("\n").filter((line) => line.includes("prefixItems"));
  expect(lines.map((line) => /\.(\d+)`/.exec(line)?.[1])).toEqual(indexes);
});
