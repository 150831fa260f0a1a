import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Block, blocksOf } from "./blocks.ts";
import { ROOT, type Running, run, start } from "./shell.ts";
import { curl, expectShown } from "./shown.ts";

const blocks = blocksOf(readFileSync(path.join(ROOT, "docs/openapi.md"), "utf8"));
const folder = mkdtempSync(path.join(tmpdir(), "openapi-"));
const project = path.join(folder, "shop");
const RUNNING: Running[] = [];

afterAll(async () => {
  for (const each of RUNNING) await each.stop();
  rmSync(folder, { recursive: true });
});

/** Follows the page block by block, but with free ports. */
class Reader {
  private printed = "";
  private gateway = "";

  async follow({ file, language, text }: Block): Promise<void> {
    if (file === "openapi.yaml") return writeFileSync(path.join(folder, file), text);
    if (file !== undefined) return writeFileSync(path.join(project, file), text.replace("9090", "0"));
    if (language === "json") return expectShown(text, this.printed);
    if (text.startsWith("node ")) return this.serveUpstream(text);
    if (text.endsWith("npm start\n")) return this.serveGateway(text);
    if (text.startsWith("curl ")) {
      this.printed = await curl(text.replace("http://127.0.0.1:8080", this.gateway));
      return;
    }
    const { status, stdout, stderr } = await run(text, text.includes(" init ") ? folder : project);
    expect(status, stdout + stderr).toBe(0);
  }

  private async serveUpstream(text: string): Promise<void> {
    const upstream = start(text, project);
    RUNNING.push(upstream);
    const [, port = ""] = await upstream.waitFor(/port: (\d+)/);
    const file = path.join(project, "connect-rest.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(":9090", `:${port}`));
  }

  private async serveGateway(text: string): Promise<void> {
    const gateway = start(`export GATEWAY_PORT=0\n${text}`, project);
    RUNNING.push(gateway);
    [, this.gateway = ""] = await gateway.waitFor(/gateway ready on (\S+)\n/);
  }
}

test("each step on the page produces the output that the page shows", { timeout: 120_000 }, async () => {
  symlinkSync(ROOT, path.join(folder, "connect-rest"));
  const reader = new Reader();
  for (const block of blocks) await reader.follow(block);
  expect(blocks.map(({ language }) => language)).toEqual(
    expect.arrayContaining(["yaml", "ts", "sh", "json"]),
  );
});
