import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles } from "../../gateway/src/init/files.ts";
import { type Manifest, manifestFor } from "../../gateway/src/init/manifest.ts";
import { trackedFiles } from "../../scripts/sources.ts";
import { VERSION } from "./installation.ts";

const PROJECT = {
  name: "example",
  document: undefined,
  baseUrl: "https://api.example.com",
  credentials: "none",
} as const;
const EXAMPLES = readdirSync("examples", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
/** The files that `init` writes with the same content, whichever settings the user chooses. */
const SETTINGS = ["buf.yaml", "buf.gen.yaml", "tsconfig.json", ".gitignore"];

/** Returns the dependencies that init writes into an empty folder. */
function initialDependencies(): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "init-"));
  const { dependencies, devDependencies } = manifestFor({ ...PROJECT, document: "openapi.yaml" }, folder);
  rmSync(folder, { recursive: true });
  return { ...dependencies, ...devDependencies };
}

test.each(EXAMPLES)("examples/%s: has a page, a private package.json, and nothing generated", (name) => {
  const folder = join("examples", name);
  expect(existsSync(join(folder, "README.md"))).toBe(true);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ private: true, type: "module" });
  const generated = /\/gen\/|\/dist\/|_pb\.|_rest\.|lock/;
  expect(trackedFiles(folder).filter((file) => generated.test(file))).toEqual([]);
});

test.each(EXAMPLES.filter((name) => existsSync(join("examples", name, "proto"))))(
  "examples/%s: has the settings that init writes",
  (name) => {
    const written = projectFiles(PROJECT);
    const own = SETTINGS.map((file) => [file, readFileSync(join("examples", name, file), "utf8")]);
    expect(own).toEqual(SETTINGS.map((file) => [file, written.get(file)]));
  },
);

test.each(EXAMPLES)("examples/%s: has the same package versions as init and this repository", (name) => {
  const { devDependencies: ours } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const known: Readonly<Record<string, string>> = { ...ours, ...initialDependencies() };
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join("examples", name, "package.json"), "utf8"),
  ) as Manifest;
  const used = Object.entries({ ...dependencies, ...devDependencies });
  const expected = used.map(([each, range]) => [
    each,
    /connect-rest/.test(each) ? `^${VERSION}` : (known[each] ?? range),
  ]);
  expect(used).toEqual(expected);
});
