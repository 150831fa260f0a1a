import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { filesOf } from "./manifest.ts";

const root = mkdtempSync(path.join(tmpdir(), "connect-rest-manifest-"));
const installed = path.join(root, "node_modules/connect-rest-gateway/package.json");
mkdirSync(path.dirname(installed), { recursive: true });
afterAll(() => rmSync(root, { recursive: true }));

const OURS = ["connect-rest-codec", "connect-rest-gateway", "connect-rest-import", "protoc-gen-connect-rest"];
const specs = fc.dictionary(
  fc.constantFrom(...OURS, "typescript", "my-connect-rest-tool"),
  fc.constantFrom("^9.8.7", "file:tarballs/a.tgz", "file:../b.tgz", "file:/opt/c.tgz"),
);

test("property: a project within an installation takes the same files of packages as the installation", () => {
  const draws = fc.tuple(
    specs,
    fc.constantFrom("dependencies", "devDependencies"),
    fc.constantFrom("a", "a/b"),
  );
  fc.assert(
    fc.property(draws, ([packages, section, folder]) => {
      writeFileSync(path.join(root, "package.json"), JSON.stringify({ [section]: packages }));
      const project = path.join(root, folder);
      const found = filesOf(installed, project);
      const expected = Object.entries(packages).filter(
        ([name, spec]) => OURS.includes(name) && spec.startsWith("file:"),
      );
      expect(Object.keys(found).sort()).toEqual(expected.map(([name]) => name).sort());
      for (const [name, spec] of expected) {
        const file = path.resolve(project, found[name]?.replace("file:", "") ?? "");
        expect(file).toBe(path.resolve(root, spec.replace("file:", "")));
      }
    }),
  );
});

test("a package that is not in a node_modules folder belongs to no installation", () => {
  expect(filesOf(path.join(root, "gateway/package.json"), root)).toEqual({});
});
