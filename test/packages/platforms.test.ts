/** Runs one program with the built packages on each platform, and compares the table of platforms. */
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, start } from "../docs/shell.ts";
import { buildTarballs, installTarballs } from "./installation.ts";
import { BROWSER_BUNDLES, installTool, PLATFORMS, type Platform } from "./platforms.ts";

const TIMEOUT_MS = 600_000;

/** Calls a method whose ID exceeds 2^53, and a method that fails. */
const CALL = `import { ConnectError, createClient } from "@connectrpc/connect";
import { createRestTransport } from "connect-rest-runtime";
import { RegistryService } from "./gen/registry/v1/registry_pb.EXTENSION";
import { RegistryServiceRest } from "./gen/registry/v1/registry_rest.EXTENSION";

export async function call(baseUrl: string): Promise<string> {
  const transport = createRestTransport({ adapters: [RegistryServiceRest], upstreams: { registry: { baseUrl } } });
  const client = createClient(RegistryService, transport);
  const { version } = await client.getLatest({ name: "@a/b" });
  const error = await client.getLatest({ name: "none" }).catch(ConnectError.from);
  await transport.close();
  return [version, error instanceof ConnectError ? error.code : "no error"].join(" ");
}

export async function main(): Promise<void> {
  process.stdout.write(await call("URL"));
}
`;

const RUN = 'import { main } from "./call.ts";\nawait main();\n';
const COMMONJS_RUN = 'import { main } from "./call";\nvoid main();\n';
const COMMONJS_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  module: "nodenext",
  target: "es2024",
  types: ["node"],
  rootDir: ".",
  outDir: "out",
};
const WORKER = `import { call } from "./call.ts";
export default { fetch: async () => new Response(await call("URL").catch((error) => error.stack)) };
`;
const MESSAGE = `import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
process.stdout.write(ErrorInfoSchema.typeName);
`;
const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker), (name = "internet", network = (allow = ["local"])) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ]
);
const worker :Workerd.Worker = (
  modules = [ (name = "worker.mjs", esModule = embed "worker.mjs") ],
  compatibilityDate = "2026-07-01",
  compatibilityFlags = ["nodejs_compat"],
);
`;
const VITE = 'export default { build: { ssr: "run.ts", outDir: "vite" }, ssr: { noExternal: true } };\n';
const VITE_PAGE =
  'export default { build: { lib: { entry: "run.ts", formats: ["es"], fileName: "run" }, outDir: "page" } };\n';

let folder = "";
let upstream: Server | undefined;
let userAgents: string[] = [];

beforeAll(async () => {
  folder = installTarballs(await buildTarballs());
  cpSync("examples/script", folder, { recursive: true });
  upstream = createServer(({ url, headers }, response) => {
    userAgents.push(String(headers["user-agent"]));
    const isKnown = url === "/%40a%2Fb/latest";
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? { version: "1.2.3" } : {}));
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const call = CALL.replace("URL", url);
  const files = {
    "call.ts": call.replaceAll("EXTENSION", "ts"),
    "run.ts": RUN,
    "cjs/package.json": '{"type":"commonjs"}',
    "cjs/tsconfig.json": JSON.stringify({ compilerOptions: COMMONJS_OPTIONS, include: ["*.ts"] }),
    "cjs/call.ts": call.replaceAll(".EXTENSION", ""),
    "cjs/run.ts": COMMONJS_RUN,
    "buf.gen.cjs.yaml": commonJsTemplate(),
    "worker.ts": WORKER.replace("URL", url),
    "worker.capnp": WORKERD,
    "message.ts": MESSAGE,
    "vite.config.js": VITE,
    "vite.page.js": VITE_PAGE,
  };
  mkdirSync(join(folder, "cjs"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const { status, stderr } = await run("npm run generate", folder);
  expect(status, stderr).toBe(0);
}, TIMEOUT_MS);

afterAll(() => {
  upstream?.close();
  rmSync(folder, { recursive: true });
});

/** Returns the example's template for a project that is compiled to CommonJS. */
function commonJsTemplate(): string {
  const template = readFileSync("examples/script/buf.gen.yaml", "utf8");
  return template
    .replaceAll("out: gen", "out: cjs/gen")
    .replaceAll("import_extension=ts", "import_extension=none");
}

/** Returns what the program prints: the version of a package, and the code NOT_FOUND. */
async function printedOn({ commands, tool }: Platform, executable: string): Promise<string> {
  const real = commands.map((command) => command.replace("TOOL", executable));
  if (tool === "workerd") return await respondedBy(real);
  const { status, stdout, stderr } = await run(real.join("\n"), folder);
  expect(status, stderr).toBe(0);
  return stdout.split("\n").at(-1) ?? "";
}

async function respondedBy(commands: readonly string[]): Promise<string> {
  const { status, stderr } = await run(commands.slice(0, -1).join("\n"), folder);
  expect(status, stderr).toBe(0);
  const server = start(`${commands.at(-1)} --control-fd=1`, folder);
  const [, port] = await server.waitFor(/"port":(\d+)/);
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } });
  const text = await response.text();
  await server.stop();
  return text;
}

test.for(PLATFORMS)("$name: a program makes calls", { timeout: TIMEOUT_MS }, async (platform, { skip }) => {
  const { path = "", problem } = platform.tool === undefined ? {} : await installTool(platform.tool);
  skip(problem !== undefined, problem);
  userAgents = [];
  expect(await printedOn(platform, path)).toBe("1.2.3 5");
  expect(userAgents).toHaveLength(2);
});

test.for([...BROWSER_BUNDLES])(
  "%s for browsers: the program fails, and its error names the remedy",
  {
    timeout: TIMEOUT_MS,
  },
  async ([, commands]) => {
    userAgents = [];
    const { status, stderr } = await run(commands.join("\n"), folder);
    expect(status).toBe(1);
    expect(stderr).toContain(
      "connect-rest-runtime runs on servers, not in browsers. In a page, call a gateway with @connectrpc/connect-web, and import generated messages (_pb) but no adapters (_rest).",
    );
    expect(userAgents).toEqual([]);
  },
);

test("esbuild for browsers: a program uses messages of the runtime", { timeout: TIMEOUT_MS }, async () => {
  const options = "--bundle --format=esm --outfile=message.mjs --log-level=error";
  const { stdout, stderr } = await run(`esbuild message.ts ${options}\nnode message.mjs`, folder);
  expect(stdout, stderr).toBe("google.rpc.ErrorInfo");
});

test("the runtime's page lists the platforms", () => {
  const rows = readFileSync("runtime/README.md", "utf8").matchAll(/^\| (.+?) +\| (.*?) +\| (.*?) *\|$/gm);
  const listed = [...rows].map(([, ...cells]) => cells.map((cell) => cell.trim()));
  const expected = PLATFORMS.map(({ name, settings, client }) => [name, settings, client]);
  expect(listed).toEqual(expect.arrayContaining(expected));
});
