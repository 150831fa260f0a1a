/** Tests that a failed run of the generators leaves all generated files in place. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const SCRIPT = resolve("scripts/generate.ts");
const FILES = [
  "gateway/src/gen/console/assets.ts",
  "gateway/src/gen/a_pb.ts",
  "codec/src/gen/scanner.ts",
  "gen/blog.ts",
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "generate-"));
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "before");
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

const TEMPLATES = ["plugin", "buf.gen", "runtime", "gateway", "test"];

test.each(TEMPLATES)("if buf fails at the template %s, no generated file is lost", (failing) => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  // like buf, empties the folders before it writes
  const program = `#!/bin/sh
for folder in gen plugin/src/gen codec/src/gen runtime/src/gen gateway/src/gen test/gen; do
  rm -rf "$5/$folder" && mkdir -p "$5/$folder"
done
case "$3" in ${failing}*) exit 1;; esac
`;
  writeFileSync(join(bin, "buf"), program);
  chmodSync(join(bin, "buf"), 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, env, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("the generated files are kept");
  for (const file of FILES) expect(readFileSync(join(folder, file), "utf8"), file).toBe("before");
});
