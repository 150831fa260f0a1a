import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Metrics } from "../metrics/metrics.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { exchange, parseAnswer } from "../testing/raw.ts";

const metrics = new Metrics();
let server: Server;
beforeAll(async () => {
  server = await startServer({ ...echoService, metrics });
});
afterAll(() => server.close());

/** Requests of every kind: calls on both paths, built-in services, pages, and an unknown path. */
const PLACES = [
  ["POST", "/echo.v1.EchoService/Echo", "application/json"],
  ["POST", "/echo.v1.EchoService/Echo", "application/grpc-web+proto"],
  ["POST", "/echo.v1.EchoService/Repeat", "application/connect+json"],
  ["POST", "/echo.v1.EchoService/Collect", "application/connect+json"],
  ["POST", "/grpc.health.v1.Health/Check", "application/json"],
  ["GET", "/healthz", "text/plain"],
  ["POST", "/nothing", "application/json"],
] as const;

/** Returns a request whose body is never sent, so that a server that reads the body would wait. */
function head(method: string, path: string, type: string, codings: readonly string[]): string {
  const lines = codings.map((coding) => `transfer-encoding: ${coding}\r\n`).join("");
  return `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\n${lines}\r\n`;
}

const token = fc.constantFrom(
  "gzip",
  "deflate",
  "compress",
  "x-gzip",
  "identity",
  "br",
  "xchunked",
  "trailers",
);

test("a request with a transfer coding before chunked gets 501 on every path, and its connection is closed without reading the body", async () => {
  const below = fc.array(token, { minLength: 1, maxLength: 3 });
  const cases = fc.record({
    place: fc.constantFrom(...PLACES),
    below,
    last: fc.constantFrom("chunked", "Chunked", "CHUNKED"),
    separator: fc.constantFrom(", ", ",", " ,\t"),
    areLines: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      cases,
      async ({ place: [method, path, type], below: others, last, separator, areLines }) => {
        const all = [...others, last];
        const codings = areLines ? all : [all.join(separator)];
        const {
          status,
          head: lines,
          body,
        } = parseAnswer(await exchange(server.port, head(method, path, type, codings)));
        expect(lines.toLowerCase()).toContain("connection: close");
        expect(status).toBe(501);
        const text = decodeURIComponent(`${lines}${JSON.stringify(body)}`);
        expect(text).toMatch(/the transfer coding \\?".*chunked\\?" is not known here/i);
      },
    ),
    { numRuns: 60 },
  );
});

test.each(["chunked", "Chunked", "\tchunked "])(
  "a request with the transfer coding %j is served",
  async (coding) => {
    const body = '{"text":"a"}';
    const [method, path, type] = PLACES[0];
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const request = head(method, path, `${type}\r\nconnection: close`, [coding]) + chunks;
    expect(parseAnswer(await exchange(server.port, request)).status).toBe(200);
  },
);

test.each(PLACES)(
  "a chunked HTTP/1.0 request is rejected and closes its connection: %s %s of %s",
  async (method, path, type) => {
    const [line, ...lines] = head(method, path, `${type}\r\nconnection: keep-alive`, ["chunked"]).split(
      "\r\n",
    );
    const answer = await exchange(server.port, [line?.replace(/1$/, "0"), ...lines].join("\r\n"));
    expect(answer.toLowerCase()).toContain("connection: close");
    expect(decodeURIComponent(answer)).toContain("HTTP/1.0 has no transfer codings");
  },
);

test("requests with other transfer codings are counted as rejected", async () => {
  const count = async () =>
    Number(/rejected_requests_total\{status="501"\} (\d+)/.exec((await metrics.render()).body)?.[1] ?? 0);
  const before = await count();
  await exchange(server.port, head(...PLACES[0], ["gzip", "chunked"]));
  expect((await count()) - before).toBe(1);
});
