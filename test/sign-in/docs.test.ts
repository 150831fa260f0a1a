/** Tests that the configuration on the page about authorization works. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../gateway/src/testing/child.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

test("the sign-in example in docs/authorization.md is valid, without warnings", async () => {
  const page = readFileSync(path.join(ROOT, "docs/authorization.md"), "utf8");
  const blocks = page.match(/(?<=```yaml\n)upstreams:[\s\S]*?(?=```)/g) ?? [];
  const [example = ""] = blocks.filter((block) => block.includes("signIn:"));
  expect(example).toContain("identity:");
  const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-docs-"));
  try {
    const adapters = `adapters: [${ROOT}/gen/user/v1/user_rest.ts, ${ROOT}/gen/blog/v1/blog_rest.ts]\n`;
    const server = "server: { hosts: [gateway.example.com], proxies: { trusted: [10.0.0.0/8] } }\n";
    writeFileSync(path.join(directory, "connect-rest.yaml"), adapters + server + example);
    const env = { BLOG_CLIENT_SECRET: "a secret", SIGN_IN_KEY: Buffer.alloc(32, 1).toString("base64") };
    const run = runCli(["check-config"], directory, env);
    expect(await run.exit).toBe(0);
    const { stdout, stderr } = run.output();
    expect(`${stdout}${stderr}`).not.toContain("warning");
  } finally {
    rmSync(directory, { recursive: true });
  }
});
