import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Block, blocksOf } from "./blocks.ts";
import { expectClean } from "./clean.ts";
import { firstCall } from "./first-call.ts";
import { ROOT, type Running, run, start } from "./shell.ts";
import { curl, expectShown } from "./shown.ts";

/** Pages that create the project `shop` from an OpenAPI document. */
const PAGES = ["docs/openapi.md", "docs/client-generators.md"];

const FOLDERS: string[] = [];
const RUNNING: Running[] = [];

afterAll(async () => {
  for (const each of RUNNING) await each.stop();
  for (const folder of FOLDERS) rmSync(folder, { recursive: true });
});

/** Follows the page block by block, but with free ports. */
class Reader {
  readonly project: string;
  private readonly folder = mkdtempSync(path.join(tmpdir(), "openapi-"));
  private printed = "";
  private gateway = "";
  private upstream = "";

  constructor() {
    this.project = path.join(this.folder, "shop");
    symlinkSync(ROOT, path.join(this.folder, "connect-rest"));
    FOLDERS.push(this.folder);
  }

  async follow({ file, language, text }: Block): Promise<void> {
    if (file === "openapi.yaml") return writeFileSync(path.join(this.folder, file), text);
    if (file === "upstream.ts") return this.write(file, text.replace("listen(9090,", "listen(0,"));
    if (file !== undefined) return this.write(file, text.replace("http://127.0.0.1:9090", this.upstream));
    if (language === "json") return expectShown(text, this.printed);
    if (language === "text") return expect(this.printed.endsWith(text), this.printed).toBe(true);
    if (text === "node upstream.ts\n") return this.serveUpstream(text);
    if (text.endsWith("npm start\n")) return this.serveGateway(text);
    if (text.startsWith("curl ")) {
      this.printed = await curl(text.replace("http://127.0.0.1:8080", this.gateway));
      return;
    }
    const { status, stdout, stderr } = await run(text, text.includes(" init ") ? this.folder : this.project);
    expect(status, stdout + stderr).toBe(0);
    this.printed = stdout;
  }

  /** Follows the README of the project, if the page has started a gateway. */
  async followReadme(response = ""): Promise<void> {
    if (this.gateway !== "") expectShown(response, await firstCall(this.project, this.gateway));
  }

  private write(file: string, text: string): void {
    writeFileSync(path.join(this.project, file), text);
  }

  private async serveUpstream(text: string): Promise<void> {
    const upstream = start(text, this.project);
    RUNNING.push(upstream);
    const [, port = ""] = await upstream.waitFor(/port: (\d+)/);
    this.upstream = `http://127.0.0.1:${port}`;
    const file = path.join(this.project, "connect-rest.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("http://127.0.0.1:9090", this.upstream));
  }

  private async serveGateway(text: string): Promise<void> {
    const gateway = start(`export GATEWAY_PORT=0\n${text}`, this.project);
    RUNNING.push(gateway);
    [, this.gateway = ""] = await gateway.waitFor(/gateway ready on (\S+)\n/);
  }
}

test.each(PAGES)(
  "%s: each step produces the output that the page shows",
  { timeout: 120_000 },
  async (page) => {
    const blocks = blocksOf(readFileSync(path.join(ROOT, page), "utf8"));
    const reader = new Reader();
    for (const block of blocks) await reader.follow(block);
    await reader.followReadme(blocks.find(({ language }) => language === "json")?.text);
    await expectClean(reader.project);
    const languages = blocks.map(({ language }) => language);
    expect(languages).toEqual(expect.arrayContaining(["yaml", "ts", "sh"]));
  },
);
