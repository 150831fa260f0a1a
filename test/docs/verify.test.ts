import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCli } from "../../gateway/src/testing/child.ts";
import { blocksOf } from "./blocks.ts";
import { ROOT } from "./shell.ts";

const COMMAND = "npx connect-rest ";
const blocks = blocksOf(readFileSync(path.join(ROOT, "docs/verify.md"), "utf8"));
const lines = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.trim().split("\n"));
const commands = [...new Set(lines)].map((line) => line.slice(COMMAND.length).split(" "));
const project = mkdtempSync(path.join(tmpdir(), "connect-rest-verify-docs-"));
for (const name of ["gen", "node_modules", "connect-rest.yaml"]) {
  symlinkSync(path.join(ROOT, name), path.join(project, name));
}
afterAll(() => rmSync(project, { recursive: true }));

function record(name: string, blog: object): void {
  const folder = path.join(project, "recordings", "blog.v1.BlogService", "GetBlogInfo");
  mkdirSync(folder, { recursive: true });
  const body = { meta: { status: 200, msg: "OK" }, response: { blog } };
  writeFileSync(path.join(folder, name), JSON.stringify(body));
}

async function run(args: readonly string[]) {
  const { exit, output } = runCli(args, project);
  return { status: await exit, ...output() };
}

test("the commands of the page find a difference, accept it, and find a new one", {
  timeout: 120_000,
}, async () => {
  record("1.json", { name: "demo", posts: { planted: "secret" } });
  const [plain = [], writing = [], reading = []] = commands;
  expect(commands).toHaveLength(3);
  const first = await run(plain);
  expect(first).toMatchObject({ status: 1, stderr: "" });
  expect(first.stdout).toContain(`GET /v2/blog/{blog_identifier}/info, 1 sample
  lost       blog.posts: expected int32, got object of length 1, in 1 of 1 sample (100 %)
             blog/v1/blog_resource.proto: blog.v1.Blog.posts
`);
  expect(first.stdout).not.toContain("secret");
  expect(await run(writing)).toMatchObject({ status: 0 });
  const second = await run(reading);
  expect(second).toMatchObject({ status: 0 });
  expect(second.stdout).toContain("0 differences, and 1 difference of the baseline.");
  record("2.404.json", { name: [] });
  record("3.json", { name: ["a", "b"] });
  const third = await run(reading);
  expect(third.status).toBe(1);
  expect(third.stdout).toContain(
    "  lost       blog.name: expected string, got array of length 2, in 1 of 3 samples (33 %)",
  );
});

test("an invalid recording has the exit status 2", { timeout: 60_000 }, async () => {
  const { status, stderr } = await run(["verify", "none.har"]);
  expect(status).toBe(2);
  expect(stderr).toContain("error: none.har cannot be read: ENOENT");
});
