import http from "node:http";
import { gunzipSync } from "node:zlib";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Server, type ServerOptions, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { VERSION } from "../version.ts";
import { type ConsoleState, isConsoleServed } from "./options.ts";
import { MAX_FAILURES, RecentFailures } from "./recent-failures.ts";

const EXAMPLES = { "echo.v1.EchoService/Echo": { text: "it's" } };

const started: Server[] = [];
let server: Server;

async function start(options: Partial<ServerOptions> = {}): Promise<Server> {
  const limits = { drainNoticeMs: 1 };
  const each = await startServer({ ...echoService, limits, ...options });
  started.push(each);
  return each;
}

beforeAll(async () => {
  server = await start({
    examples: EXAMPLES,
    comments: async () =>
      new Map([
        ["echo.v1.EchoService", "Says it again."],
        ["echo.v1.EchoService.Echo", "Once."],
        ["echo.v1.OtherService.Hidden", "of a service that the file does not declare"],
      ]),
  });
});
afterAll(() => Promise.all(started.map((each) => each.close())));

interface Raw {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Requests a path without decompressing the response, as fetch does. */
function get(path: string, headers: Record<string, string> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const request = http.get(server.url + path, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status, headers: received } = response;
        resolve({ status, headers: received, bytes: Buffer.concat(chunks) });
      });
    });
    request.on("error", reject);
  });
}

/** Returns the paths of the script and the styles that the page names. */
async function assetsOf(url: string): Promise<string[]> {
  const html = await (await fetch(url)).text();
  return [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
}

test("the page may load its own script and styles only, and no page may frame it", async () => {
  const { headers, bytes } = await get("/");
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  const html = bytes.toString();
  expect(html).not.toMatch(/<script[^>]*>[^<]|<style|\bon\w+=|style=|https?:/);
});

test("assets have a hash of their contents in their names, so that browsers may cache them forever", async () => {
  const paths = await assetsOf(server.url);
  expect(paths).toEqual([
    expect.stringMatching(/^\/console\/style-[0-9a-f]{12}\.css$/),
    expect.stringMatching(/^\/console\/main-[0-9a-f]{12}\.js$/),
  ]);
  for (const path of paths) {
    const { status, headers } = await get(path);
    expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
  }
});

test("the script has at most 150 KB, and neither the script nor the styles load other resources", async () => {
  const texts = await Promise.all(
    (await assetsOf(server.url)).map(async (path) => (await fetch(server.url + path)).text()),
  );
  expect(texts[1]?.length).toBeLessThan(150_000);
  expect(texts[0]).not.toMatch(/url\(|@import/);
  expect(texts[1]).not.toMatch(/\beval\(|new Function\(|import\(/);
});

test.each(["identity", "gzip", "gzip, deflate, br", "br"])("accept-encoding: %s", async (accepted) => {
  const [, script = ""] = await assetsOf(server.url);
  const { headers, bytes } = await get(script, { "accept-encoding": accepted });
  const isCompressed = headers["content-encoding"] === "gzip";
  expect(isCompressed).toBe(accepted.includes("gzip"));
  expect(headers.vary).toBe("accept-encoding");
  expect(headers["content-length"]).toBe(String(bytes.length));
  const text = (isCompressed ? gunzipSync(bytes) : bytes).toString();
  expect(text).toBe(await (await fetch(server.url + script)).text());
});

test("the data has the served methods, their schema, comments and examples, and nothing of other methods", async () => {
  const json = async (name: string) => (await fetch(`${server.url}/console/${name}`)).json();
  expect(await json("about.json")).toEqual({
    version: VERSION,
    services: ["echo.v1.EchoService"],
    examples: EXAMPLES,
    hasExplain: false,
  });
  expect(await json("comments.json")).toMatchObject({ "echo.v1.EchoService.Echo": "Once." });
  const bytes = await (await fetch(`${server.url}/console/schema.binpb`)).arrayBuffer();
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, new Uint8Array(bytes)));
  expect(registry.getService("echo.v1.EchoService")?.methods.map(({ name }) => name)).toContain("Echo");
  expect(registry.getMessage("google.rpc.ErrorInfo")).toBeDefined();
  expect(registry.getService("grpc.health.v1.Health")).toBeUndefined();
});

test("the state counts calls and rejections, and has the limits", async () => {
  const call = await start({ limits: { drainNoticeMs: 1, callsInFlight: 7 } });
  const post = { method: "POST", headers: { "content-type": "application/json" } };
  await (await fetch(`${call.url}/echo.v1.EchoService/Echo`, { ...post, body: "{}" })).text();
  await (await fetch(`${call.url}/echo.v1.EchoService/None`, { ...post, body: "{}" })).text();
  const response = await fetch(`${call.url}/console/state.json`);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.json()).toMatchObject({
    limits: { callsInFlight: 7 },
    metrics: {
      calls_total: [
        { labels: { method: "echo.v1.EchoService/Echo", code: "ok", protocol: "connect" }, value: 1 },
      ],
      call_duration_seconds_count: [{ value: 1 }],
      calls_in_flight: [{ labels: {}, value: 0 }],
      rejected_requests_total: [{ labels: { status: 404 }, value: 1 }],
    },
  });
});

const errors = fc.oneof(
  fc.constant(undefined),
  fc.string().map((text) => new Error(text)),
  fc
    .record({
      text: fc.string(),
      reason: fc.oneof(fc.constant("BLOG_NOT_FOUND"), fc.string({ unit: "binary" })),
      code: fc.integer({ min: 1, max: 16 }),
    })
    .map(({ text, reason, code }) => {
      const detail = { desc: ErrorInfoSchema, value: { reason, domain: text, metadata: { text } } };
      return new ConnectError(text, code, { "x-text": "a" }, [detail], text);
    }),
);

test("the latest failures are bounded, in order, and have no text that a caller or an upstream chose", () => {
  const outcomes = fc.array(
    fc.record({ code: fc.constantFrom("ok", "not_found", "http_400"), error: errors }),
    {
      maxLength: 3 * MAX_FAILURES,
      size: "max",
    },
  );
  const method = EchoService.method.echo;
  fc.assert(
    fc.property(outcomes, (drawn) => {
      const failures = new RecentFailures();
      for (const { code, error } of drawn) failures.add({ method, startedAt: 0 }, { code, reason: error });
      const expected = drawn.filter(({ code }) => code !== "ok").reverse();
      const latest = failures.latest();
      expect(latest.map(({ code }) => code)).toEqual(expected.slice(0, MAX_FAILURES).map(({ code }) => code));
      for (const failure of latest) {
        expect(failure).toEqual({
          at: expect.any(Number),
          method: "echo.v1.EchoService/Echo",
          code: expect.any(String),
          reason: expect.stringMatching(/^([A-Z][A-Z0-9_]{0,62})?$/),
          durationMs: expect.any(Number),
        });
      }
    }),
  );
});

test("the state has the failed calls of each protocol with their reasons, and calls beyond a limit", async () => {
  const { url } = await start();
  const post = (type: string, body: string | Uint8Array<ArrayBuffer>) =>
    fetch(`${url}/echo.v1.EchoService/Echo`, { method: "POST", headers: { "content-type": type }, body });
  await (await post("application/json", '{"text": "secret')).text();
  await (await post("application/grpc-web+proto", new Uint8Array([0, 0, 0, 0, 1, 255]))).text();
  await (await post("application/json", "{}")).text();
  const response = await fetch(`${url}/console/state.json`);
  const { failures, processes } = (await response.json()) as ConsoleState;
  expect(processes).toBe(1);
  expect(failures).toHaveLength(2);
  for (const failure of failures) {
    expect(failure).toMatchObject({ code: "invalid_argument", reason: "REQUEST_MALFORMED" });
  }
  expect(JSON.stringify(failures)).not.toContain("secret");
});

test("unknown paths of the console are not found, and paths of methods are calls", async () => {
  expect((await fetch(`${server.url}/console/main-000000000000.js`)).status).toBe(404);
  expect((await fetch(`${server.url}/console/__proto__.js`)).status).toBe(404);
  const response = await fetch(`${server.url}/console/Method`);
  expect(await response.text()).toContain("nothing is served at");
});

test("pages of other origins cannot read the data", async () => {
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  for (const name of ["about.json", "schema.binpb", "comments.json", "state.json"]) {
    expect((await get(`/console/${name}`, headers)).status).toBe(403);
  }
});

test.each([
  [{ host: "127.0.0.1" }, true],
  [{ host: "::1" }, true],
  [{ host: "localhost" }, true],
  [{ host: "127.0.0.1", hosts: ["localhost"] }, false],
  [{ host: "0.0.0.0", hosts: ["a.example"] }, false],
  [{ host: "10.0.0.1", hosts: ["*"] }, false],
  [{ host: "0.0.0.0", hosts: ["a.example"], console: true }, true],
  [{ host: "127.0.0.1", console: false }, false],
])("with %o, the console is served: %s", (settings, isServed) => {
  expect(isConsoleServed(settings)).toBe(isServed);
});

test("without the console, neither the page nor its data is served", async () => {
  const off = await start({ console: false });
  expect(off.consoleUrl).toBeUndefined();
  for (const path of ["/", "/console/about.json", "/console/schema.binpb", ...(await assetsOf(server.url))]) {
    expect((await fetch(off.url + path)).status).toBe(404);
  }
});
