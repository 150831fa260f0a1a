import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({ ...echoService, limits: { drainNoticeMs: 1 } });
});
afterAll(() => server.close());

describe.each(["/", "/console/about.json", "/healthz", "/readyz"])("%s", (path) => {
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
