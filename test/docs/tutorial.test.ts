import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Block, blocksBelow } from "./blocks.ts";
import { expectClean } from "./clean.ts";
import { ROOT, type Running, run, start } from "./shell.ts";
import { curl, expectShown } from "./shown.ts";

const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
const blocks = blocksBelow(readme, "## Your own API in ten minutes");
const folder = mkdtempSync(path.join(tmpdir(), "tutorial-"));
const project = path.join(folder, "shelf");
const RUNNING: Running[] = [];
const CONFIGURATION = blocks.find(({ text }) => text.startsWith("adapters:"))?.text ?? "";

afterAll(async () => {
  for (const each of RUNNING) await each.stop();
  rmSync(folder, { recursive: true });
});

/** Follows the tutorial block by block, like a reader, but with free ports. */
class Reader {
  private readonly ports = new Map([
    [":9090", ":0"],
    [":8080", ":0"],
  ]);
  /** The standard output of the last command. */
  private printed = "";
  private gateway: Running | undefined;

  async follow(block: Block): Promise<void> {
    if (block.file !== undefined) return this.write(block.file, block.text);
    if (block.language === "sh") return this.command(this.real(block.text));
    if (block.text === CONFIGURATION) return this.expectConfigured();
    if (block.text.includes('"msg":"difference"')) return this.expectLogged(block.text);
    if (block.language === "json") return expectShown(block.text, this.printed);
    if (block.text.startsWith("shelf/v1/shelf.proto:")) return this.expectProblem(block.text);
    expect(this.printed).toBe(block.text);
  }

  private real(text: string): string {
    let real = text;
    for (const [shown, port] of this.ports) real = real.replaceAll(shown, port);
    return real;
  }

  private write(file: string, text: string): void {
    const target = path.join(project, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, this.real(text).replace("listen(9090,", "listen(0,"));
  }

  private async command(text: string): Promise<void> {
    if (text.includes(" init shelf ")) return this.install(text);
    if (text === "node upstream.ts\n") return this.serveUpstream(text);
    if (text.endsWith("npm start\n")) return this.serveGateway(text);
    if (text.startsWith("curl ")) {
      this.printed = await curl(text);
    } else {
      this.printed = await this.finish(text);
    }
  }

  private async install(text: string): Promise<void> {
    symlinkSync(ROOT, path.join(folder, "connect-rest"));
    const { status, stderr } = await run(text, folder);
    expect(status, stderr).toBe(0);
  }

  private expectConfigured(): void {
    const file = path.join(project, "connect-rest.yaml");
    expect(readFileSync(file, "utf8").replace(/127\.0\.0\.1:\d+/, "127.0.0.1:9090")).toBe(CONFIGURATION);
  }

  private async serveUpstream(text: string): Promise<void> {
    const upstream = start(text, project);
    RUNNING.push(upstream);
    const [, port] = await upstream.waitFor(/port: (\d+)/);
    this.ports.set(":9090", `:${port}`);
    this.write("connect-rest.yaml", this.real(CONFIGURATION));
  }

  private async serveGateway(text: string): Promise<void> {
    this.gateway = start(`export GATEWAY_PORT=0\n${text}`, project);
    RUNNING.push(this.gateway);
    const [, port] = await this.gateway.waitFor(/gateway ready on http:\/\/127\.0\.0\.1:(\d+)\n/);
    this.ports.set(":8080", `:${port}`);
  }

  private async finish(text: string): Promise<string> {
    const { status, stdout, stderr } = await run(text, project);
    expect(status, stderr).toBe(0);
    return stdout;
  }

  private async expectLogged(shown: string): Promise<void> {
    expect(this.printed.match(/"title": "\w+"/g)).toEqual([
      '"title": "Walden"',
      '"title": "Emma"',
      '"title": "Dune"',
    ]);
    const line = await this.gateway?.waitFor(/^.*"msg":"difference".*$/m);
    expectShown(shown, line?.[0] ?? "");
  }

  private async expectProblem(shown: string): Promise<void> {
    const file = "proto/shelf/v1/shelf.proto";
    const right = readFileSync(path.join(project, file), "utf8");
    this.write(file, right.replace("{id}", "{idd}"));
    const { stderr } = await run("npx buf generate", project);
    expect(stderr).toContain(shown.trim());
    this.write(file, right);
    await this.finish("npx buf generate");
  }
}

test("each step of the tutorial produces the output that the tutorial shows", {
  timeout: 120_000,
}, async () => {
  const reader = new Reader();
  for (const block of blocks) await reader.follow(block);
  await expectClean(project);
});

test("the tutorial has a block of each kind that this test supports", () => {
  const files = blocks.flatMap(({ file }) => file ?? []);
  expect(files).toEqual(["upstream.ts", "proto/shelf/v1/shelf.proto", "client.ts"]);
  expect(blocks.map(({ language }) => language)).toEqual(
    expect.arrayContaining(["sh", "json", "text", "ts", "yaml", "proto"]),
  );
});
