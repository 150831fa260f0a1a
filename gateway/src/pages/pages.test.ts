import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { bufCurlCommand, curlCommand, exampleMessage, quote } from "./example.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({
    ...echoService,
    comments: new Map([
      ["echo.v1.EchoService", { service: "Says <b>it</b> again.", methods: { echo: "Once & only." } }],
    ]),
    examples: { "echo.v1.EchoService/Echo": { text: "it's" } },
    limits: { drainNoticeMs: 1 },
  });
});
afterAll(() => server.close());

test("the start page lists services and methods with their comments, and a command for each method", async () => {
  const response = await fetch(server.url);
  const html = await response.text();
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(html).toContain("Says &lt;b&gt;it&lt;/b&gt; again.");
  expect(html).toContain("Once &amp; only.");
  expect(html).toContain(`${server.url}/echo.v1.EchoService/Echo`);
  expect(html).toContain("npx buf curl");
  expect(html).toContain("prefers-color-scheme: dark");
});

test("the start page loads no external resources", async () => {
  const response = await fetch(server.url);
  expect(response.headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(await response.text()).not.toMatch(/<(?:script|link|img|iframe)/);
});

test("the commands on the start page are quoted for a shell", async () => {
  const { echo } = EchoService.method;
  const command = curlCommand(echo, server.url, { "echo.v1.EchoService/Echo": { text: "it's $HOME" } }) ?? "";
  // Not execFileSync("curl"), because the test checks the quoting.
  const args = execFileSync("sh", ["-c", command.replace(/^curl/, "printf '%s\\n'")]).toString();
  expect(args.split("\n").slice(0, 4)).toEqual([
    "-d",
    '{"text":"it\'s $HOME"}',
    "-H",
    "content-type: application/json",
  ]);
  expect(bufCurlCommand(echo, "http://a", {})).toBe(
    `npx buf curl --protocol grpc --http2-prior-knowledge --data '{"text":"..."}' http://a/echo.v1.EchoService/Echo`,
  );
  expect(exampleMessage(echo, {})).toBe('{"text":"..."}');
  expect(quote("'")).toBe("''\\'''");
});

describe.each(["/", "/healthz", "/readyz"])("%s", (path) => {
  test("serves HEAD without a body", async () => {
    const response = await fetch(server.url + path, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("rejects other HTTP methods", async () => {
    const response = await fetch(server.url + path, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(await response.text()).toBe(`${path} takes GET; the request is a "POST"\n`);
  });

  test("ignores the query", async () => {
    expect((await fetch(`${server.url}${path}?a=%%[`)).status).toBe(200);
  });
});
