import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { blocksBelow } from "./blocks.ts";
import { ROOT, start } from "./shell.ts";

const readme = readFileSync(path.join(ROOT, "sandbox/README.md"), "utf8");

/** Makes the call that a page shows as a curl command with headers. */
async function call(command: string): Promise<unknown> {
  const [, body = "", options = "", url = ""] = /^curl -d '([^']*)' (-H .*) (http:\S+)$/.exec(command) ?? [];
  const headers = [...options.matchAll(/-H '([\w-]+): ([^']*)'/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const all = { ...Object.fromEntries(headers), connection: "close" };
  return (await fetch(url, { method: "POST", headers: all, body })).json();
}

test("the recipe for acting as another user works as the page shows", async () => {
  const [config, serve, calls, ...rest] = blocksBelow(readme, "## Acting as another user");
  expect(rest).toEqual([]);
  const folder = mkdtempSync(path.join(tmpdir(), "sandbox-readme-"));
  for (const name of ["gen", "node_modules"]) symlinkSync(path.join(ROOT, name), path.join(folder, name));
  const sandbox = start("SANDBOX_PORT=0 node sandbox/src/main.ts", ROOT);
  const [, upstream = ""] = await sandbox.waitFor(/sandbox ready on http:.*:(\d+)\n/);
  const text = (config?.text ?? "").replaceAll(":8081", `:${upstream}`);
  writeFileSync(path.join(folder, config?.file ?? ""), text.replace("port: 8090", "port: 0"));
  const gateway = start(serve?.text ?? "", folder);
  try {
    const [, port = ""] = await gateway.waitFor(/gateway ready on http:.*:(\d+)\n/);
    const [join = "", list = ""] = (calls?.text ?? "").replaceAll(":8090", `:${port}`).trim().split("\n");
    expect(await call(join)).toEqual({});
    const { members } = (await call(list)) as { members: { blog: { name: string } }[] };
    const names = members.map(({ blog }) => blog.name);
    expect(names.toSorted()).toEqual(["ada", "demo", "grace", "reader-03"]);
  } finally {
    await gateway.stop();
    await sandbox.stop();
    rmSync(folder, { recursive: true });
  }
});
