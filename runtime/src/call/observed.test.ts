import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import { afterEach, expect, test } from "vitest";
import { createRest, type Rest } from "../rest.ts";
import { closedPort, httpUpstream, sendJson, type TestServer } from "../testing/servers.ts";
import { thingAdapter, thingRequest, thingService } from "../testing/thing-service.ts";
import type { RequestEnd, RequestReport, RestOptions } from "./options.ts";

let server: TestServer | undefined;
let rest: Rest | undefined;
afterEach(async () => {
  await rest?.close();
  await server?.[Symbol.asyncDispose]();
});

function get(url: string, onRequest: RestOptions["onRequest"]) {
  rest = createRest({
    adapters: [thingService()],
    upstreams: { things: { baseUrl: url, retry: false } },
    onRequest,
  });
  return rest.call(thingAdapter(), thingRequest({ name: "a" }));
}

async function headersOf(onRequest: RestOptions["onRequest"]): Promise<IncomingHttpHeaders> {
  let seen: IncomingHttpHeaders = {};
  server = await httpUpstream((request, response) => {
    seen = request.headers;
    sendJson(response, { id: 5 });
  });
  await get(server.url, onRequest);
  return seen;
}

test("a request observer receives the request and its response", async () => {
  const reports: RequestReport[] = [];
  const ends: RequestEnd[] = [];
  await headersOf((report) => {
    reports.push(report);
    return { onEnd: (end) => ends.push(end) };
  });
  const origin = server?.url;
  expect(reports).toMatchObject([{ upstream: "things", verb: "GET", origin, method: { name: "GetThing" } }]);
  expect(ends).toEqual([{ status: 200, error: undefined }]);
});

test("a request observer receives the error if there is no response", async () => {
  const ends: RequestEnd[] = [];
  const call = get(await closedPort(), () => ({ onEnd: (end) => ends.push(end) }));
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(ends).toEqual([{ status: undefined, error }]);
});

test("a request observer adds headers", async () => {
  const headers = await headersOf(() => ({ headers: { traceparent: "00-1-2-00", "x-more": "1" } }));
  expect(headers).toMatchObject({ traceparent: "00-1-2-00", "x-more": "1", accept: "application/json" });
});

test("a request observer can send the request in an async context", async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  await headersOf(() => ({
    run: (send) =>
      storage.run("own", () => {
        seen.push(storage.getStore());
        return send();
      }),
    onEnd: () => seen.push(storage.getStore()),
  }));
  expect(seen).toEqual(["own", undefined]);
});

test("a request observer cannot fail a call", async () => {
  await headersOf(() => {
    throw new Error("broken");
  });
  await rest?.close();
  await server?.[Symbol.asyncDispose]();
  const headers = await headersOf(() => ({
    onEnd: () => {
      throw new Error("broken");
    },
  }));
  expect(headers.accept).toBe("application/json");
});
