/** Follows the page of an example with installed tarballs, block by block. */
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { type Block, blocksBelow, blocksOf } from "../docs/blocks.ts";
import { run, start } from "../docs/shell.ts";
import { curl, expectShown } from "../docs/shown.ts";
import { installTarballs } from "./installation.ts";

/** Commands that run until they are stopped, and the address on the page that each listens on. */
const SERVERS: readonly (readonly [RegExp, string])[] = [
  [/^(?:\w+='[^']*' )?npm start\n$/, "127.0.0.1:8080"],
  [/^node api\.ts\n$/, "127.0.0.1:9090"],
  [/^npm run page\n$/, "127.0.0.1:8000"],
];

/** The output of a server that listens. */
const READY = /(?:"port":|(?:gateway ready on|Local:) +http:\/\/127\.0\.0\.1:)(\d+)/;

/**
 * Uses a server that listens.
 *
 * @param shown the address of the server on the page
 * @param real the address at which the server listens
 * @returns what the server shows to its user, as the page has it
 */
type OnServed = (shown: string, real: string) => Promise<string>;

/** Follows a page in a copy of the example, on free ports. */
export class Reader {
  readonly folder: string;
  private readonly page: string;
  private readonly variables: string[] = ["export PORT=0 GATEWAY_PORT=0"];
  private readonly ports = new Map<string, string>();
  private readonly closers: (() => unknown)[] = [];
  private printed = "";
  private readonly onServed: OnServed;

  constructor(example: string, tarballs: ReadonlyMap<string, string>, onServed: OnServed = async () => "") {
    this.onServed = onServed;
    this.folder = installTarballs(tarballs);
    cpSync(join("examples", example), this.folder, { recursive: true });
    this.page = readFileSync(join("examples", example, "README.md"), "utf8");
  }

  setVariable(name: string, value: string): void {
    this.variables.push(`export ${name}='${value}'`);
  }

  /** Starts a server that replaces an upstream. Returns its address. */
  async serveUpstream(handler: RequestListener): Promise<string> {
    const server = createServer(handler).listen(0, "127.0.0.1");
    this.closers.unshift(() => server.close());
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Replaces a text in a file of the copy. */
  replace(path: string, shown: string, real: string): void {
    const file = join(this.folder, path);
    const text = readFileSync(file, "utf8");
    expect(text).toContain(shown);
    writeFileSync(file, text.replace(shown, real));
  }

  async followPage(): Promise<void> {
    await this.followBlocks(blocksOf(this.page));
  }

  /** Follows the blocks before the first section. */
  async followIntroduction(): Promise<void> {
    await this.followBlocks(blocksOf(this.page.split("\n## ")[0] ?? ""));
  }

  async followSection(heading: string): Promise<void> {
    await this.followBlocks(blocksBelow(this.page, heading));
  }

  async close(): Promise<void> {
    for (const close of this.closers) await close();
    rmSync(this.folder, { recursive: true });
  }

  private async followBlocks(blocks: readonly Block[]): Promise<void> {
    expect(blocks.map(({ language }) => language)).toContain("sh");
    for (const block of blocks) await this.follow(block);
  }

  private async follow({ language, text }: Block): Promise<void> {
    if (language === "json") return expectShown(text, this.printed);
    if (language === "text") return expect(this.printed).toBe(text);
    const real = text.replaceAll(/127\.0\.0\.1:\d+/g, (address) => this.ports.get(address) ?? address);
    const [, address] = SERVERS.find(([command]) => command.test(text)) ?? [];
    if (address !== undefined) return this.serve(real, address);
    if (text.startsWith("curl ")) {
      this.printed = await curl(real);
      return;
    }
    for (const line of real.trim().split("\n")) {
      const { status, stdout, stderr } = await run(this.script(line), this.folder);
      expect(status, `${line}\n${stdout}${stderr}`).toBe(0);
      this.printed = stdout;
    }
  }

  private script(command: string): string {
    return [...this.variables, command].join("\n");
  }

  private async serve(command: string, address: string): Promise<void> {
    const server = start(this.script(command), this.folder);
    this.closers.unshift(() => server.stop());
    const [, port = ""] = await server.waitFor(READY);
    this.ports.set(address, `127.0.0.1:${port}`);
    this.printed = await this.onServed(address, `127.0.0.1:${port}`);
  }
}

/** Returns a handler that responds with JSON by path to requests that have a header. */
export function jsonBy(
  paths: Readonly<Record<string, object>>,
  header: string,
  value: string,
): RequestListener {
  return ({ url = "", headers }, response) => {
    const body = headers[header] === value ? paths[url] : undefined;
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? {}));
  };
}
