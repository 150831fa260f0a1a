import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { exchange, parseAnswer } from "../testing/raw.ts";

const SERVERS: Server[] = [];
let server: Server;
beforeAll(async () => {
  server = await start(["https://app.example"]);
});
afterAll(() => Promise.all(SERVERS.map((each) => each.close())));

async function start(origins: readonly string[]): Promise<Server> {
  const started = await startServer({ ...echoService, origins, limits: { drainNoticeMs: 1 } });
  SERVERS.push(started);
  return started;
}

/** Returns the head of a response in lower case. (fetch would hide some of the headers.) */
async function head({ port }: Server, verb: string, ...headers: readonly string[]): Promise<string> {
  const lines = ["Host: a", "Connection: close", ...headers].map((line) => `${line}\r\n`).join("");
  const text = `${verb} /echo.v1.EchoService/Echo?connect=v1&encoding=json&message={} HTTP/1.1\r\n${lines}\r\n`;
  return parseAnswer(await exchange(port, text)).head.toLowerCase();
}

const PREFLIGHT = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type"];

test("a page of an allowed origin may make calls", async () => {
  const before = await head(server, "OPTIONS", "Origin: https://app.example", ...PREFLIGHT);
  expect(before).toMatch(/^http\/1.1 204 /);
  expect(before).toContain("access-control-allow-origin: https://app.example");
  expect(before).toMatch(/access-control-allow-headers: .*grpc-timeout/);
  expect(before).toContain("access-control-max-age: 7200");
  const call = await head(server, "GET", "Origin: https://app.example");
  expect(call).toMatch(/^http\/1.1 200 /);
  expect(call).toContain("access-control-allow-origin: https://app.example");
  expect(call).toMatch(/access-control-expose-headers: .*grpc-status/);
});

test("a page of another origin may not make calls, and the response has Vary: Origin", async () => {
  const answer = await head(server, "OPTIONS", "Origin: https://evil.example", ...PREFLIGHT);
  expect(answer).toMatch(/^http\/1.1 405 /);
  expect(answer).toContain("vary: origin");
  expect(answer).not.toContain("access-control-");
});

test("the origin * allows every origin", async () => {
  const open = await start(["*"]);
  expect(await head(open, "GET", "Origin: https://any.example")).toContain(
    "access-control-allow-origin: https://any.example",
  );
});

test("without configured origins, no page may make calls", async () => {
  const closed = await start([]);
  expect(await head(closed, "GET", "Origin: https://app.example")).not.toContain("access-control-");
});

test("the page may read the error for a URL that is too long", async () => {
  const { port } = server;
  const target = `/echo.v1.EchoService/Echo?connect=v1&encoding=json&message=${"a".repeat(9_000)}`;
  const lines = ["Host: a", "Origin: https://app.example"].map((line) => `${line}\r\n`).join("");
  const answer = parseAnswer(await exchange(port, `GET ${target} HTTP/1.1\r\n${lines}\r\n`));
  expect(answer.head.toLowerCase()).toContain("access-control-allow-origin: https://app.example");
  expect(answer.head.toLowerCase()).toMatch(/access-control-expose-headers: .*grpc-status/);
  expect(answer.body).toMatchObject({ code: "resource_exhausted" });
});

/** Headers that pages may send in every configuration. */
const STANDARD = [
  ...["content-type", "connect-protocol-version", "connect-timeout-ms", "grpc-timeout", "x-grpc-web"],
  ...["x-user-agent", "x-request-id", "traceparent", "tracestate", "baggage"],
];
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,15}[a-z0-9]$/).map((text) => `x-${text}`);
const names = fc.uniqueArray(fc.oneof(name, fc.constantFrom("authorization", ...STANDARD)), { maxLength: 6 });

test("a page may send the configured headers and the protocols' headers, and no others", async () => {
  const draws = fc.record({ configured: names, isOpen: fc.boolean(), asked: names, origin: fc.nat(2) });
  await fc.assert(
    fc.asyncProperty(draws, async ({ configured, isOpen, asked, origin }) => {
      const corsHeaders = isOpen ? [...configured, "*"] : configured;
      const origins = ["https://app.example", "https://other.example"];
      const open = await startServer({ ...echoService, origins, corsHeaders, limits: { drainNoticeMs: 1 } });
      const from = [...origins, "https://evil.example"][origin] ?? "";
      const answer = await head(
        open,
        "OPTIONS",
        `Origin: ${from}`,
        "Access-Control-Request-Method: POST",
        `Access-Control-Request-Headers: ${asked.join(", ")}`,
      );
      await open.close();
      const allowed = /^access-control-allow-headers: (.*)$/m.exec(answer)?.[1]?.trim().split(", ") ?? [];
      expect(answer.includes("access-control-allow-origin")).toBe(origin < 2);
      const expected = (each: string) => isOpen || configured.includes(each) || STANDARD.includes(each);
      const may = asked.filter((each) => allowed.includes(each));
      expect(may).toEqual(origin < 2 ? asked.filter(expected) : []);
    }),
    { numRuns: 40 },
  );
});
