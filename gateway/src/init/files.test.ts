import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { projectFiles } from "./files.ts";
import { CREDENTIALS, type CredentialsKind, nameFor } from "./project.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** Folder names that have a meaning in protobuf, in JavaScript, or in the packages of the annotations. */
const WORDS = [
  ...[
    "message",
    "service",
    "rpc",
    "returns",
    "stream",
    "option",
    "import",
    "package",
    "enum",
    "oneof",
    "map",
  ],
  ...["string", "int64", "bool", "true", "inf", "syntax", "reserved", "extensions", "to", "max", "optional"],
  ...[
    "class",
    "default",
    "function",
    "await",
    "prototype",
    "constructor",
    "google",
    "connectrest",
    "v1",
    "item",
  ],
];

const folders = fc.constantFrom(...WORDS.flatMap((word) => [word, `my ${word}`, `${word}-2`]));
const names = fc.oneof(folders, fc.string({ maxLength: 20 })).map(nameFor);
const kinds = fc.constantFrom(...(Object.keys(CREDENTIALS) as CredentialsKind[]));

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

/** Writes the projects into one folder, because starting `buf` takes long. */
function write(
  projects: readonly { readonly name: string; readonly credentials: CredentialsKind }[],
): string {
  const directory = mkdtempSync(path.join(tmpdir(), "init-files-"));
  directories.push(directory);
  symlinkSync(path.join(ROOT, "node_modules"), path.join(directory, "node_modules"));
  for (const each of projects) {
    const files = projectFiles({ ...each, document: undefined, baseUrl: "https://api.example.com" });
    for (const [file, text] of files) {
      const target = path.join(directory, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
  }
  return directory;
}

test("the files of a new project pass buf's linter, and are formatted as buf requires", {
  timeout: 120_000,
}, () => {
  const projects = fc.uniqueArray(fc.record({ name: names, credentials: kinds }), {
    selector: ({ name }) => name,
    minLength: 40,
    maxLength: 60,
  });
  const property = fc.property(projects, (drawn) => {
    const directory = write(drawn);
    for (const options of [["lint"], ["format", "--diff", "--exit-code", "proto"]]) {
      const { status, stdout, stderr } = spawnSync("buf", options, { cwd: directory, encoding: "utf8" });
      expect(status, stdout + stderr).toBe(0);
    }
  });
  fc.assert(property, { numRuns: 3 });
});
