import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Run, run } from "../../gateway/src/testing/child.ts";
import { hasProtoc, NO_PROTOC } from "../generator-kit/compilers.ts";
import { buildTarballs, installTarballs, OURS, VERSION } from "./installation.ts";
import { Newcomer } from "./newcomer.ts";

const AUTHORIZATION = "connect-rest-authorization";

let tarballs: ReadonlyMap<string, string> = new Map();
let home = "";
/** The folder `packages` without the authorization package. */
let bare = "";

beforeAll(async () => {
  tarballs = await buildTarballs();
  home = installTarballs(tarballs);
  bare = installTarballs(new Map([...tarballs].filter(([name]) => name !== AUTHORIZATION)));
}, 120_000);

afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  rmSync(bare, { recursive: true, force: true });
});

function node(...options: string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, options, { cwd: home, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout;
}

test("the built packages: have executables that run", () => {
  const run = (name: string) => {
    const folder = join("node_modules", name);
    const manifest = JSON.parse(readFileSync(join(home, folder, "package.json"), "utf8"));
    expect(manifest.private).toBeUndefined();
    const [entry = ""] = Object.values<string>(manifest.bin);
    return node(join(folder, entry), "--version").trim();
  };
  expect(run("protoc-gen-connect-rest")).toBe(`protoc-gen-connect-rest ${VERSION}`);
  expect(run("connect-rest-gateway")).toContain(VERSION);
});

test("the built packages: have the workspace's exports", () => {
  const names = (module: string) =>
    JSON.parse(
      node(
        "--input-type=module",
        "-e",
        `process.stdout.write(JSON.stringify(Object.keys(await import("${module}"))))`,
      ),
    );
  expect(names("connect-rest-runtime")).toContain("createRestTransport");
  expect(names("connect-rest-runtime/adapter")).toContain("RequestWriter");
  expect(names("connect-rest-runtime/oauth")).toContain("bearerInterceptor");
  expect(names("protoc-gen-connect-rest/kit")).toContain("runGenerator");
  expect(names("connect-rest-gateway")).toContain("startGateway");
  expect(names("connect-rest-authorization")).toContain("createAuthorization");
});

test.each(OURS)("the built packages: publint and arethetypeswrong find no problem: %s", async (name) => {
  const tarball = new Uint8Array(readFileSync(tarballs.get(name) ?? ""));
  const { messages } = await publint({ pack: { tarball: tarball.buffer } });
  expect(messages).toEqual([]);
  const { types, ...analysis } = await checkPackage(createPackageFromTarballData(tarball));
  expect(types).toMatchObject({ kind: "included" });
  const problems = "problems" in analysis ? analysis.problems : [];
  // node10 resolution ignores exports
  const relevant = problems.filter(
    (problem) => !("resolutionKind" in problem && problem.resolutionKind === "node10"),
  );
  expect(relevant).toEqual([]);
});

test("the built packages: contain the annotations", () => {
  const protos = readdirSync(join(home, "node_modules/protoc-gen-connect-rest/protos/connectrest/v1"));
  expect(protos).toContain("annotations.proto");
});

test.each(OURS)("the built packages: have pages with existing link targets: %s", (name) => {
  const folder = join(home, "node_modules", name);
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".md"),
  );
  const links = pages.flatMap((page) =>
    [...readFileSync(join(folder, page), "utf8").matchAll(/\]\(((?!https?:|#)[^)\s]+)\)/g)].map(
      ([, link = ""]) => join(dirname(page), link.replace(/#.*/, "")),
    ),
  );
  expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
  expect(links).not.toEqual([]);
});

test("the built packages: contain neither tests nor test helpers", () => {
  for (const name of OURS) {
    const files = readdirSync(join(home, "node_modules", name), { recursive: true, encoding: "utf8" });
    expect(
      files.filter((file) => /\.test\.|testing\/|^gen\/echo|\.ts$/.test(file) && !file.endsWith(".d.ts")),
    ).toEqual([]);
  }
});

test("the built packages: pass type checks in a strict project that imports them", () => {
  writeFileSync(join(home, "package.json"), '{"type":"module"}');
  writeFileSync(
    join(home, "main.ts"),
    `import { createRestTransport, type RestOptions } from "connect-rest-runtime";
import { RequestWriter } from "connect-rest-runtime/adapter";
import { startGateway } from "connect-rest-gateway";
import { runGenerator } from "protoc-gen-connect-rest/kit";
const options: RestOptions = { adapters: [], upstreams: {} };
// @ts-expect-error an adapter is not a string
createRestTransport({ adapters: ["blog"], upstreams: {} });
export const used = [createRestTransport(options), new RequestWriter("GET", "/"), startGateway, runGenerator];
`,
  );
  const options = {
    strict: true,
    module: "nodenext",
    target: "es2024",
    noEmit: true,
    types: ["node"],
    skipLibCheck: false,
  };
  writeFileSync(
    join(home, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["main.ts"] }),
  );
  const { stdout, status } = spawnSync("tsc", ["--project", home], { encoding: "utf8" });
  const ours = stdout
    .split("\n")
    .filter((line) => !/^\S*node_modules\/(?!connect-rest|protoc-gen-connect)/.test(line));
  expect(ours.join("\n").trim()).toBe("");
  expect(status === 0 || stdout !== "").toBe(true);
});

test.each([
  ["ts", "ts", "nodenext"],
  ["ts", "none", "bundler"],
  ["js+dts", "js", "nodenext"],
  ["dts", "none", "bundler"],
])(
  "a newcomer: generates target=%s, import_extension=%s, and compiles with strict options for %s",
  (target, extension, resolution) => {
    const newcomer = new Newcomer(home);
    newcomer.generateWithBuf("gen", target, extension);
    expect(newcomer.typeCheck(extension, resolution)).toBe("");
    if (resolution === "nodenext") newcomer.run(process.execPath, "main.ts");
  },
);

test("a newcomer: gets the same code from protoc, which finds all imports in the package", ({ skip }) => {
  skip(!hasProtoc, NO_PROTOC);
  const newcomer = new Newcomer(home);
  expect(newcomer.generateWithProtoc("by-protoc")).toBe(newcomer.generateWithBuf("by-buf", "ts", "ts"));
});

const GATEWAY = "node_modules/connect-rest-gateway/bin/entry.cjs";
const AUTHORIZED = `authorization:
  { publicUrl: "http://127.0.0.1:8080", clients: { worker: { secret: { env: WORKER }, grants: [client_credentials] } } }`;
const WORKER = "w".repeat(32);
const MISSING =
  "it needs the package connect-rest-authorization, which is not installed: run npm install connect-rest-authorization";

/** Generates an adapter in a folder, and writes a configuration that names the adapter. */
function configure(folder: string, settings: string): void {
  new Newcomer(folder).generateWithBuf("gen", "js+dts", "js");
  const adapters = "adapters: [./gen/shelf/v1/shelf_rest.js]";
  const upstreams = `upstreams: { shelf: { baseUrl: "http://127.0.0.1:9" } }`;
  writeFileSync(join(folder, "connect-rest.yaml"), [adapters, upstreams, settings].join("\n"));
}

function checkConfig(folder: string): { readonly status: number | null; readonly warnings: string } {
  const { status, stderr } = spawnSync(process.execPath, [GATEWAY, "check-config"], {
    cwd: folder,
    env: { ...process.env, WORKER },
    encoding: "utf8",
  });
  return { status, warnings: stderr };
}

function serve(folder: string): Run {
  return run([GATEWAY, "serve", "--port", "0"], folder, { WORKER });
}

/** Runs a gateway while `work` runs with the gateway's address. */
async function served<T>(folder: string, work: (url: string) => Promise<T>): Promise<T> {
  const gateway = serve(folder);
  const url = (await gateway.line(/^gateway ready on /)).replace("gateway ready on ", "");
  const result = await work(url);
  gateway.process.kill("SIGINT");
  expect(await gateway.exit).toBe(0);
  return result;
}

async function statusOfCall(url: string, header: Record<string, string> = {}): Promise<number> {
  const { status } = await fetch(`${url}/shelf.v1.ShelfService/GetBook`, {
    method: "POST",
    headers: { "content-type": "application/json", ...header },
    body: "{}",
  });
  return status;
}

/** The status of a call that the gateway accepts and whose upstream does not listen. */
const UNAVAILABLE = 503;

test("a gateway without the authorization package: serves every caller", async () => {
  configure(bare, "");
  expect(checkConfig(bare)).toEqual({ status: 0, warnings: "" });
  expect(await served(bare, (url) => statusOfCall(url))).toBe(UNAVAILABLE);
});

test("a gateway without the authorization package: reports the missing package if authorization is configured", async () => {
  configure(bare, AUTHORIZED);
  expect(checkConfig(bare)).toEqual({
    status: 0,
    warnings: expect.stringContaining(`warning: connect-rest.yaml:4:3: authorization: ${MISSING}\n`),
  });
  const gateway = serve(bare);
  expect(await gateway.exit).toBe(1);
  expect(gateway.output()).toEqual({
    stdout: "",
    stderr: `error: [failed_precondition] authorization is configured, but ${MISSING}\n`,
  });
});

test("a gateway with the authorization package: issues tokens, and requires a token for each call", async () => {
  configure(home, AUTHORIZED);
  const { status, warnings } = checkConfig(home);
  expect([status, warnings.includes(AUTHORIZATION)]).toEqual([0, false]);
  const statuses = await served(home, async (url) => {
    const basic = Buffer.from(`worker:${WORKER}`).toString("base64");
    const response = await fetch(`${url}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    });
    const { access_token: token } = (await response.json()) as { readonly access_token: string };
    return [await statusOfCall(url), await statusOfCall(url, { authorization: `Bearer ${token}` })];
  });
  expect(statuses).toEqual([401, UNAVAILABLE]);
});

/** Copies and builds the example generator as a user would. */
function buildExample(): Newcomer {
  cpSync("examples/generator", join(home, "example"), { recursive: true });
  const { status, stdout } = spawnSync("npm", ["run", "build"], {
    cwd: join(home, "example"),
    encoding: "utf8",
  });
  expect(status, stdout).toBe(0);
  return new Newcomer(home, ["example/dist/bin.js"]);
}

test("the example generator: is built with the package, and adds routes to adapters", () => {
  const newcomer = buildExample();
  expect(newcomer.generateWithBuf("gen", "ts", "ts")).toContain("  routes: {\n");
  expect(newcomer.typeCheck("ts", "nodenext")).toBe("");
  const program = `const { ShelfServiceRest } = await import("./gen/shelf/v1/shelf_rest.ts");
const { routeOf } = await import("./gen/routes.ts");
process.stdout.write(JSON.stringify([routeOf(ShelfServiceRest, "getBook"), routeOf(ShelfServiceRest, "other") ?? null]));`;
  expect(JSON.parse(node("--input-type=module", "-e", program))).toEqual([
    { verb: "GET", path: "/books/{id}", idempotent: true },
    null,
  ]);
});

test("the example generator: generates the same code with protoc", ({ skip }) => {
  skip(!hasProtoc, NO_PROTOC);
  const newcomer = buildExample();
  // buf drops the final line feed of a file with insertions.
  const adapter = newcomer.generateWithProtoc("example-by-protoc").replace(/\n$/, "");
  expect(adapter).toContain("  routes: {\n");
  expect(adapter).toBe(newcomer.generateWithBuf("example-by-buf", "ts", "ts"));
  const routes = (folder: string) => readFileSync(join(home, folder, "routes.ts"), "utf8");
  expect(routes("example-by-protoc")).toBe(routes("example-by-buf"));
});

/** A document with one operation, such as a new user may have. */
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Shelf", version: "1" },
  paths: {
    "/books/{id}": {
      get: {
        operationId: "getBook",
        tags: ["books"],
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "integer", format: "int64" } },
        ],
        responses: {
          200: {
            description: "A book",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Book" } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Book: {
        type: "object",
        properties: { id: { type: "integer", format: "int64" }, title: { type: "string" } },
      },
    },
  },
};

const CALL = `import { createClient } from "@connectrpc/connect";
import { createRestTransport } from "connect-rest-runtime";
import { BooksService } from "./gen/shelf/v1/books_pb.ts";
import { BooksServiceRest } from "./gen/shelf/v1/books_rest.ts";

const upstreams = { shelf: { baseUrl: process.argv[2] ?? "" } };
const transport = createRestTransport({ adapters: [BooksServiceRest], upstreams });
const { book } = await createClient(BooksService, transport).getBook({ id: 9007199254740993n });
console.log(book?.id, book?.title);
await transport.close();
`;

/** Writes a folder with only the dependencies that npm cannot get from the registry. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "init-"));
  const dependencies = [...tarballs]
    .filter(([name]) => name !== AUTHORIZATION)
    .map(([name, path]) => [name, `file:${path}`] as const);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ dependencies: Object.fromEntries(dependencies) }),
  );
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(DOCUMENT));
  return folder;
}

test.each([
  ["after the packages that it needs", (paths: readonly string[]) => paths],
  ["before the packages that it needs", (paths: readonly string[]) => paths.toReversed()],
])("one command installs all tarballs, each %s", async (_, order) => {
  const folder = mkdtempSync(join(tmpdir(), "order-"));
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["install", "--package-lock-only", "--prefer-offline", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", [...options, ...order([...tarballs.values()])], { cwd: folder });
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  for (const name of OURS) expect(packages[`node_modules/${name}`]?.resolved).toMatch(/^file:/);
  rmSync(folder, { recursive: true });
});

test("init creates a project from tarballs and an OpenAPI document, and the project makes a typed call", async () => {
  const folder = emptyFolder();
  const started = performance.now();
  const options = ["init", ".", "--yes", "--name", "shelf", "--openapi", "openapi.json"];
  const entry = join(home, GATEWAY);
  const init = await promisify(execFile)(process.execPath, [entry, ...options], { cwd: folder });
  expect(init.stdout).toContain("wrote buf.gen.yaml\n");
  writeFileSync(join(folder, "main.ts"), CALL);
  await promisify(execFile)("npm", ["run", "check"], { cwd: folder });
  const upstream = createServer((request, response) => {
    const id = request.url?.replace("/books/", "");
    response.setHeader("content-type", "application/json").end(`{"id":${id},"title":"Walden"}`);
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const { stdout } = await promisify(execFile)(process.execPath, ["main.ts", url], { cwd: folder });
  upstream.close();
  expect(stdout).toBe("9007199254740993n Walden\n");
  process.stdout.write(
    `from an empty folder to a typed call: ${Math.round((performance.now() - started) / 1000)} s\n`,
  );
  rmSync(folder, { recursive: true });
});
