import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../gateway/src/testing/child.ts";
import { blocksOf } from "./blocks.ts";
import { ROOT } from "./shell.ts";

const blocks = blocksOf(readFileSync(path.join(ROOT, "docs/suggest.md"), "utf8"));
const commands = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.trim().split("\n"))
  .map((line) => line.replace(/^npx /, "").replace(/ > .*/, "").split(" "));
const [declared = ""] = blocks.filter(({ language }) => language === "proto").map(({ text }) => text);
const project = mkdtempSync(path.join(tmpdir(), "connect-rest-suggest-docs-"));
const blogFile = path.join(project, "proto/blog/v1/blog_resource.proto");
afterAll(() => rmSync(project, { recursive: true }));

/** As `connect-rest init` writes it. */
const BUF = `version: v2
modules:
  - path: proto
  - path: node_modules/protoc-gen-connect-rest/protos
`;

beforeAll(() => {
  for (const name of ["connect-rest.yaml", "buf.gen.yaml"]) {
    cpSync(path.join(ROOT, name), path.join(project, name));
  }
  for (const name of ["blog", "community", "events", "oauth", "user"]) {
    cpSync(path.join(ROOT, "proto", name), path.join(project, "proto", name), { recursive: true });
  }
  cpSync(path.join(ROOT, "gen"), path.join(project, "gen"), { recursive: true });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(project, "node_modules"));
  writeFileSync(path.join(project, "buf.yaml"), BUF);
  const template = readFileSync(path.join(project, "buf.gen.yaml"), "utf8");
  writeFileSync(path.join(project, "buf.gen.yaml"), template.replace(/ +exclude_paths: .*\n/, ""));
  const folder = path.join(project, "recordings", "blog.v1.BlogService", "GetBlogInfo");
  mkdirSync(folder, { recursive: true });
  for (const rank of [1, 2]) {
    const badges = [{ label: `label ${rank}`, rank }];
    const blog = { name: "demo", verified_at: `2026-01-0${rank}T00:00:00Z`, badges };
    const body = { meta: { status: 200, msg: "OK" }, response: { blog } };
    writeFileSync(path.join(folder, `${rank}.json`), JSON.stringify(body));
  }
});

async function run([command = "", ...args]: readonly string[]) {
  if (command === "connect-rest") {
    const { exit, output } = runCli(args, project);
    return { status: await exit, ...output() };
  }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: "utf8" });
  return { status, stdout, stderr };
}

test("the commands of the page print a patch, apply it, and then find no difference", {
  timeout: 120_000,
}, async () => {
  const [print = [], write = [], generate = [], verify = []] = commands;
  expect(commands).toHaveLength(4);
  const before = readFileSync(blogFile, "utf8");
  const printed = await run(print);
  expect(printed).toMatchObject({
    status: 0,
    stderr: "2 fields and 0 enum values in 1 file; 0 not patched\n",
  });
  const added = printed.stdout.split("\n").filter((line) => /^\+(?!\+\+)/.test(line));
  expect(`${added.map((line) => line.slice(1)).join("\n")}\n`).toBe(declared);
  expect(readFileSync(blogFile, "utf8")).toBe(before);
  const applied = spawnSync("git", ["apply", "--check", "-"], {
    cwd: project,
    input: printed.stdout,
    encoding: "utf8",
  });
  expect(applied.stderr).toBe("");
  expect(await run(write)).toMatchObject({ status: 0, stdout: "" });
  expect(readFileSync(blogFile, "utf8")).toContain("message Badge {");
  expect(await run(["buf", "format", "--diff", "--exit-code", "proto"])).toMatchObject({ status: 0 });
  // the description has fields that the generated code lacks
  expect((await run(print)).stderr).toContain("run buf generate");
  expect(await run(generate)).toMatchObject({ status: 0, stderr: "" });
  expect(await run(verify)).toMatchObject({ status: 0, stderr: "" });
  expect(await run(print)).toMatchObject({
    stdout: "",
    stderr: "0 fields and 0 enum values in 0 files; 0 not patched\n",
  });
});

test("files that do not compile, and files of an import, are not written", { timeout: 60_000 }, async () => {
  const text = readFileSync(blogFile, "utf8");
  const body = { meta: { status: 200, msg: "OK" }, response: { blog: { name: "demo", new_key: 1 } } };
  writeFileSync(
    path.join(project, "recordings/blog.v1.BlogService/GetBlogInfo/3.json"),
    JSON.stringify(body),
  );
  const broken = path.join(project, "proto/blog/v1/broken.proto");
  writeFileSync(broken, 'syntax = "proto3"; package blog.v1; message Broken { Missing missing = 1; }');
  const failed = await run(["connect-rest", "suggest", "recordings", "--write"]);
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain("error: no file was written: the changed files do not compile with buf:");
  expect(readFileSync(blogFile, "utf8")).toBe(text);
  rmSync(broken);
  const lock = path.join(project, "connect-rest-import.lock.json");
  writeFileSync(lock, JSON.stringify({ files: { "proto/blog/v1/blog_resource.proto": "" } }));
  const { stderr, stdout } = await run(["connect-rest", "suggest", "recordings"]);
  rmSync(lock);
  expect(stdout).toBe("");
  expect(stderr).toContain(
    "blog.v1.Blog: connect-rest import writes proto/blog/v1/blog_resource.proto; change the",
  );
});
