import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SEED } from "../draws.ts";
import { hostileDocument } from "./openapi/hostile-documents.ts";
import { runImport, TestProject } from "./project.ts";

const DOCUMENTS = 4;

test("property: the import writes only files that are formatted, lint, generate and compile", async () => {
  const documents = fc.sample(hostileDocument, {
    numRuns: DOCUMENTS,
    ...(SEED === undefined ? {} : { seed: SEED }),
  });
  for (const { value } of documents) {
    const project = new TestProject();
    const folder = mkdtempSync(join(tmpdir(), "hostile-"));
    const path = join(folder, "openapi.json");
    writeFileSync(path, JSON.stringify(value));
    const args = [path, "--output", project.folder, "--package", "hostile.v1"];
    expect(await runImport(args)).toMatchObject({ code: 0, errors: "" });
    expect(await project.buf("generate")).toEqual({ output: "", code: 0 });
    expect(await project.buf("format", "--diff", "--exit-code", "proto")).toEqual({ output: "", code: 0 });
    expect(await project.buf("lint")).toEqual({ output: "", code: 0 });
    expect(await project.tsc()).toEqual({ output: "", code: 0 });
    rmSync(folder, { recursive: true });
    project.remove();
  }
});
