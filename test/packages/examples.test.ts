/** Follows the pages of the examples with installed tarballs, block by block. */
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cachedPath, fetchDocuments, REAL_DOCUMENTS } from "../../scripts/import-counts.ts";
import { type Block, blocksOf } from "../docs/blocks.ts";
import { run, start } from "../docs/shell.ts";
import { curl, expectShown } from "../docs/shown.ts";
import { buildTarballs, installTarballs } from "./installation.ts";

/** The maximum time for the build, and for the commands of a page. */
const TIMEOUT_MS = 240_000;

let tarballs: ReadonlyMap<string, string> = new Map();
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  tarballs = await buildTarballs();
}, TIMEOUT_MS);

afterAll(async () => {
  for (const close of closers) await close();
});

/** Commands that run until they are stopped. */
const SERVER = /^(?:\w+='[^']*' )?(?:npm start|node api\.ts)\n$/;

/** Follows a page in a copy of the example, on free ports. */
class Reader {
  readonly folder = installTarballs(tarballs);
  private readonly blocks: readonly Block[];
  private readonly variables: string[] = ["export PORT=0 GATEWAY_PORT=0"];
  private readonly ports = new Map<string, string>();
  private printed = "";

  constructor(example: string) {
    cpSync(join("examples", example), this.folder, { recursive: true });
    this.blocks = blocksOf(readFileSync(join("examples", example, "README.md"), "utf8"));
    closers.push(() => rmSync(this.folder, { recursive: true }));
  }

  /** Sets the environment variable with the address of an upstream. */
  setUpstream(variable: string, url: string): void {
    this.variables.push(`export ${variable}=${url}`);
  }

  async followPage(): Promise<void> {
    for (const block of this.blocks) await this.follow(block);
    expect(this.blocks.map(({ language }) => language)).toContain("sh");
  }

  private async follow({ language, text }: Block): Promise<void> {
    if (language === "json") return expectShown(text, this.printed);
    if (language === "text") return expect(this.printed).toBe(text);
    const { ports } = this;
    const real = text.replaceAll(/127\.0\.0\.1:\d+/g, (address) => ports.get(address) ?? address);
    if (SERVER.test(text)) return this.serve(real);
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

  private async serve(command: string): Promise<void> {
    const server = start(this.script(command), this.folder);
    closers.unshift(() => server.stop());
    const [, port = ""] = await server.waitFor(/(?:"port":|gateway ready on http:\/\/127\.0\.0\.1:)(\d+)/);
    const isApi = command.includes("api.ts");
    this.ports.set(isApi ? "127.0.0.1:9090" : "127.0.0.1:8080", `127.0.0.1:${port}`);
    if (!isApi) return;
    this.setUpstream("BOOKMARKS_URL", `http://127.0.0.1:${port}`);
    const file = join(this.folder, "connect-rest.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("127.0.0.1:9090", `127.0.0.1:${port}`));
  }
}

/** Starts a server that replaces an upstream. Returns its address. */
async function serveUpstream(handler: RequestListener): Promise<string> {
  const server: Server = createServer(handler).listen(0, "127.0.0.1");
  closers.unshift(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a handler that responds with JSON by path. */
function jsonBy(paths: Readonly<Record<string, object>>, header: string, value: string): RequestListener {
  return ({ url = "", headers }, response) => {
    const body = headers[header] === value ? paths[url] : undefined;
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? {}));
  };
}

test("examples/script: prints a package whose name has a slash", { timeout: TIMEOUT_MS }, async () => {
  const reader = new Reader("script");
  const tarball = "https://registry.npmjs.org/@types/node/-/node-24.19.2.tgz";
  const latest = { version: "24.19.2", license: "MIT", dist: { tarball } };
  const handler = jsonBy({ "/%40types%2Fnode/latest": latest }, "accept", "application/json");
  reader.setUpstream("REGISTRY_URL", await serveUpstream(handler));
  await reader.followPage();
});

test("examples/bookmarks: calls its API in-process and through a gateway", {
  timeout: TIMEOUT_MS,
}, async () => {
  await new Reader("bookmarks").followPage();
});

test("examples/service: passes its own tests, and serves both services", {
  timeout: TIMEOUT_MS,
}, async () => {
  const reader = new Reader("service");
  const books = {
    "/books/1": { title: "Emma", available: 0 },
    "/books/2": { title: "Walden", available: 1 },
  };
  reader.setUpstream("CATALOG_URL", await serveUpstream(jsonBy(books, "x-api-key", "open sesame")));
  await reader.followPage();
});

/**
 * The example's document. The test copies the document from a cache instead of installing its npm package.
 */
const DOCUMENT = REAL_DOCUMENTS.filter(({ name }) => name === "blockfrost");

test("examples/imported: imports a public API, and makes a typed call", { timeout: TIMEOUT_MS }, async () => {
  fetchDocuments(DOCUMENT);
  const reader = new Reader("imported");
  const manifest = readFileSync("examples/imported/package.json", "utf8");
  for (const document of DOCUMENT) {
    expect(manifest).toContain(`"${document.package}": "${document.version}"`);
    const folder = join(reader.folder, "node_modules", document.package);
    mkdirSync(folder, { recursive: true });
    copyFileSync(cachedPath(document), join(folder, document.file));
  }
  const block = { height: 13_000_000, tx_count: 27, size: 48_213 };
  const handler = jsonBy({ "/blocks/latest": block }, "project_id", "open sesame");
  reader.setUpstream("BLOCKFROST_URL", await serveUpstream(handler));
  await reader.followPage();
  expect(readFileSync(join(reader.folder, "package.json"), "utf8")).toBe(manifest);
});
