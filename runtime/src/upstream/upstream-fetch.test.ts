import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { failureOf } from "../testing/failure.ts";
import { closedPort, httpUpstream, type TestServer, textOfRequest } from "../testing/servers.ts";
import { createUpstreamFetch, type UpstreamFetch, type UpstreamFetchOptions } from "./upstream-fetch.ts";

const OPEN: Array<TestServer | UpstreamFetch> = [];

afterEach(async () => {
  for (const one of OPEN.splice(0)) await ("close" in one ? one.close() : one[Symbol.asyncDispose]());
});

type Listener = Parameters<typeof httpUpstream>[0];

async function started(listener: Listener, options: Partial<UpstreamFetchOptions> = {}) {
  const server = await httpUpstream(listener);
  const http = createUpstreamFetch("blog", {}, { origins: [server.url], ...options });
  OPEN.push(http, server);
  return { url: server.url, fetch: http.fetch.bind(http) };
}

test("a request is sent unchanged, with the user agent of the upstream, and the whole response is returned", async () => {
  const { url, fetch } = await started(async (request, response) => {
    const { method, url: path, headers } = request;
    const body = await textOfRequest(request);
    const { "user-agent": agent, "content-type": type, authorization } = headers;
    response
      .setHeader("set-cookie", "a=b")
      .end(JSON.stringify([method, path, agent, type, authorization, body]));
  });
  const body = new URLSearchParams({ code: "a b" });
  const headers = { authorization: "Basic x", "user-agent": "mine" };
  const response = await fetch(`${url}/token?a=1`, { method: "POST", body, headers });
  expect(await response.json()).toEqual([
    "POST",
    "/token?a=1",
    expect.stringMatching(/^connect-rest-runtime\//),
    "application/x-www-form-urlencoded;charset=UTF-8",
    "Basic x",
    "code=a+b",
  ]);
  expect(response.headers.get("set-cookie")).toBeNull();
});

test("a redirect is returned as a response, and not followed", async () => {
  const seen: Array<string | undefined> = [];
  const { url, fetch } = await started((request, response) => {
    seen.push(request.url);
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  expect((await fetch(url)).status).toBe(302);
  expect(seen).toEqual(["/"]);
});

test("a request to another origin is rejected", async () => {
  const { url, fetch } = await started((_request, response) => response.end());
  for (const address of ["http://127.0.0.1:1/", "not an address", url.replace("127.0.0.1", "localhost")]) {
    const error = await failureOf(fetch(address));
    expect([reasonOf(error), error.rawMessage]).toEqual([
      "UPSTREAM_UNREACHABLE",
      "upstream blog: no connection was established: an address of another origin than those of its settings",
    ]);
  }
});

test("a body that is too large, before or after decompression, ends the exchange", async () => {
  const { url, fetch } = await started(
    (request, response) => {
      const body = Buffer.alloc(5000, "x");
      if (request.url === "/gzip") {
        response.setHeader("content-encoding", "gzip").end(gzipSync(body));
      } else {
        response.end(body);
      }
    },
    { maxBytes: 4000 },
  );
  for (const path of ["/", "/gzip"]) {
    const error = await failureOf(fetch(url + path));
    expect([reasonOf(error), error.rawMessage]).toEqual([
      "UPSTREAM_BODY_TOO_LARGE",
      expect.stringContaining("4000 bytes"),
    ]);
  }
});

test("a silent server exceeds the time limit, and a missing server is unreachable", async () => {
  const { url, fetch } = await started(() => undefined, { timeoutMs: 50 });
  const error = await failureOf(fetch(url));
  expect(error.rawMessage).toBe("upstream blog: timed out after 50 ms waiting for the response");
  const gone = await closedPort();
  const http = createUpstreamFetch("blog", {}, { origins: [gone] });
  OPEN.push(http);
  expect(reasonOf(await failureOf(http.fetch(gone)))).toBe("UPSTREAM_UNREACHABLE");
});

test("the caller can cancel a request", async () => {
  const leaving = new AbortController();
  const { url, fetch } = await started(() => leaving.abort(new Error("left")));
  await expect(fetch(url, { signal: leaving.signal })).rejects.toThrow("left");
});

test("a status without a body has a null body", async () => {
  const { url, fetch } = await started((_request, response) => response.writeHead(204).end());
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([204, ""]);
});
