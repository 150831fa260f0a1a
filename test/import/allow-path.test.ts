import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandRun, runImport } from "./project.ts";

/** Schemas in files, by path. The property of each schema names the folder of its file. */
const FILES: Readonly<Record<string, string>> = {
  "common/pet.yaml": schemaWith("in_common"),
  "common/deep/toy.yaml": schemaWith("in_common"),
  "common/..names/pet.yaml": schemaWith("in_common"),
  "common/to-secret.yaml": "$ref: ../secret.yaml\n",
  "commonplace/pet.yaml": schemaWith("in_commonplace"),
  "other/pet.yaml": schemaWith("in_other"),
  "secret.yaml": schemaWith("in_secret"),
};

/** The targets of symbolic links, by path. */
const LINKS: Readonly<Record<string, string>> = {
  "alias-of-common": "common",
  "common/inner.yaml": "common/pet.yaml",
  "common/outer.yaml": "secret.yaml",
  "common/outer": "other",
  "api/to-common.yaml": "common/pet.yaml",
  "api/to-secret.yaml": "secret.yaml",
};

/** References from `api/` that lead to files in `common/`. */
const ALLOWED: readonly string[] = [
  "../common/pet.yaml",
  "../common/deep/toy.yaml",
  "../common/..names/pet.yaml",
  "../common/deep/../pet.yaml",
  "../common/inner.yaml",
  "../alias-of-common/pet.yaml",
  "to-common.yaml",
];

/** References from `api/` that lead to files outside of `api/` and `common/`. */
const REJECTED: readonly string[] = [
  "../secret.yaml",
  "../common/../secret.yaml",
  "../common/%2e%2e/secret.yaml",
  "../commonplace/pet.yaml",
  "../other/pet.yaml",
  "../common/to-secret.yaml",
  "../common/outer.yaml",
  "../common/outer/pet.yaml",
  "../alias-of-common/outer.yaml",
  "to-secret.yaml",
];

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "import-"));
  for (const path of ["api", "common/deep", "common/..names", "commonplace", "other"]) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text);
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(join(folder, target), join(folder, path));
});

afterAll(() => rmSync(folder, { recursive: true }));

function schemaWith(property: string): string {
  return `type: object\nproperties: { ${property}: { type: string } }\n`;
}

/** Imports a document in `api/` with this reference, and returns the text of the imported files. */
async function importReference(
  reference: string,
  allowedFolders: readonly string[],
): Promise<CommandRun & { readonly text: string }> {
  const document = join(folder, "api/api.yaml");
  writeFileSync(
    document,
    `openapi: 3.0.0
info: { title: Pets, version: "1" }
paths: { /a: { get: { responses: { "200": { description: "", content: { application/json: { schema: { $ref: "${reference}" } } } } } } } }
`,
  );
  const output = join(folder, "out");
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
  const options = allowedFolders.flatMap((path) => ["--allow-path", join(folder, path)]);
  const result = await runImport([document, "--output", output, ...options]);
  const files = readdirSync(output, { recursive: true, encoding: "utf8" }).filter((path) => {
    return path.endsWith(".proto");
  });
  return { ...result, text: files.map((path) => readFileSync(join(output, path), "utf8")).join("") };
}

test.each(ALLOWED)("without --allow-path, the command rejects the reference %s", async (reference) => {
  const { code, errors, text } = await importReference(reference, []);
  expect(errors).toContain("outside of the folder of the document");
  expect(errors).toContain("allow its folder with --allow-path");
  expect({ code, text }).toEqual({ code: 1, text: "" });
});

test.each(ALLOWED)("--allow-path allows the reference %s", async (reference) => {
  for (const allowed of [["common"], ["alias-of-common"], ["other", "common/../common"]]) {
    const { code, errors, text } = await importReference(reference, allowed);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(text).toContain("string in_common = ");
  }
});

test.each(REJECTED)("--allow-path of another folder does not allow the reference %s", async (reference) => {
  for (const allowed of ["common", "alias-of-common"]) {
    const { code, errors, text } = await importReference(reference, [allowed]);
    expect(errors).toContain("outside of the folder of the document");
    expect({ code, text }).toEqual({ code: 1, text: "" });
  }
});

test.each(["none", "secret.yaml"])(
  "--allow-path %s is rejected, because the folder does not exist",
  async (path) => {
    const { code, errors } = await importReference("../common/pet.yaml", [path]);
    expect(errors).toBe(`${join(folder, path)}: is not a folder; pass an existing folder to --allow-path\n`);
    expect(code).toBe(1);
  },
);
