import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { failureOf } from "../testing/failure.ts";
import { listenForRedirect, type RedirectServer } from "./redirect-server.ts";

const OPEN: RedirectServer[] = [];
afterEach(async () => {
  for (const one of OPEN.splice(0)) await one.close();
});

async function listening(port?: number): Promise<RedirectServer> {
  const isExpected = (parameters: URLSearchParams) => parameters.get("state") === "s1";
  const server = await listenForRedirect({ port, isExpected });
  OPEN.push(server);
  return server;
}

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends a request with the given headers. */
function ask(
  server: RedirectServer,
  path: string,
  { method = "GET", host = "", at = "127.0.0.1" } = {},
): Promise<Got> {
  const { port } = new URL(server.redirectUri);
  const headers = host === "" ? {} : { host };
  return new Promise((resolve, reject) => {
    const sent = request({ host: at, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject).end();
  });
}

test("the first request of the sign-in is accepted, and gets the result page", async () => {
  const server = await listening();
  expect(server.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const got = ask(server, "/callback?code=c%201&state=s1");
  const { parameters, respond } = await server.redirected;
  expect([...parameters]).toEqual([
    ["code", "c 1"],
    ["state", "s1"],
  ]);
  await respond({ title: "Done <b>", text: "Go & rest" });
  const { status, headers, text } = await got;
  expect(status).toBe(200);
  expect(text).toContain("<h1>Done &#60;b&#62;</h1><p>Go &#38; rest</p>");
  expect(text).not.toMatch(/<script|c 1|s1/);
  expect(headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'/,
  );
  expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  expect((await ask(server, "/callback?code=c2&state=s1")).status).toBe(410);
});

test.each([
  ["another path", "/", {}, 404],
  ["the icon", "/favicon.ico", {}, 404],
  ["another method", "/callback?code=c&state=s1", { method: "POST" }, 405],
  ["no state", "/callback?code=c", {}, 400],
  ["another state", "/callback?code=c&state=s2", {}, 400],
  ["another name for this machine", "/callback?code=c&state=s1", { host: "evil.example" }, 400],
  ["another port", "/callback?code=c&state=s1", { host: "127.0.0.1:1" }, 400],
  ["not an address", "//", {}, 400],
])(
  "a request that does not belong to the sign-in is rejected, and the sign-in continues: %s",
  async (_, path, options, status) => {
    const server = await listening();
    const got = await ask(server, path, options);
    expect(got.status).toBe(status);
    expect(got.text).toContain("Not signed in");
    const good = ask(server, "/callback?code=c&state=s1");
    const { parameters, respond } = await server.redirected;
    await respond({ title: "Done", text: "" });
    expect([parameters.get("code"), (await good).status]).toEqual(["c", 200]);
  },
);

test("after a hundred requests even the valid request is rejected", async () => {
  const server = await listening();
  for (let count = 0; count < 100; count++) await ask(server, "/callback?state=guess");
  expect((await ask(server, "/callback?code=c&state=s1")).status).toBe(400);
});

test("a head that is too large closes the connection, and a browser that uses IPv6 is served if the machine supports it", async () => {
  const server = await listening();
  const large = await ask(server, `/callback?state=s1&code=${"x".repeat(40_000)}`).catch(() => undefined);
  expect(large?.status ?? 431).toBe(431);
  const six = await ask(server, "/", { at: "::1" }).catch(() => undefined);
  if (six !== undefined) expect(six.status).toBe(404);
});

test("the error for a port in use names the port", async () => {
  const { port } = new URL((await listening()).redirectUri);
  const error = await failureOf(listening(Number(port)));
  expect([reasonOf(error), error.rawMessage]).toEqual([
    "OAUTH_PORT_TAKEN",
    `cannot listen on port ${port} of this machine: EADDRINUSE`,
  ]);
});
