import { readFileSync } from "node:fs";
import * as runtime from "connect-rest-runtime";
import { expect, test } from "vitest";

/** Returns the exported names in a report. */
function exported(report: string): string[] {
  const text = readFileSync(`docs/api/${report}.api.md`, "utf8");
  const declared = text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type|enum) (\w+)/gm,
  );
  const listed = [...text.matchAll(/^export \{ (\w+) \}/gm)];
  return [...new Set([...declared, ...listed].map(([, name = ""]) => name))];
}

test("the runtime exports at most fifty names", () => {
  const names = exported("connect-rest-runtime");
  for (const name of Object.keys(runtime)) expect(names).toContain(name);
  expect(names.length).toBeLessThanOrEqual(50);
});
