import type { IncomingHttpHeaders } from "node:http";
import { afterEach, expect, test } from "vitest";
import type { MethodRules } from "../adapter/rules.ts";
import { hmacSha1, signatureBaseString } from "../credentials/oauth1.ts";
import { RequestWriter } from "../request/request-writer.ts";
import { createRest } from "../rest.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { httpUpstream, type TestServer, textOfRequest } from "../testing/servers.ts";
import { thingAdapter, thingRequest, thingService } from "../testing/thing-service.ts";
import type { UpstreamOptions } from "./options.ts";

const SERVERS: TestServer[] = [];

afterEach(async () => {
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
});

interface Sent {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function sent(
  write: (out: RequestWriter) => void,
  rules: Partial<MethodRules> = {},
  upstream: UpstreamOptions = {},
): Promise<Sent> {
  const seen = Promise.withResolvers<Sent>();
  const server = await httpUpstream(async (request, response) => {
    seen.resolve({ headers: request.headers, text: await textOfRequest(request) });
    response.end("{}");
  });
  SERVERS.push(server);
  const request = new RequestWriter("POST", "/things");
  write(request);
  const variant = { rules, request: () => request };
  const rest = createRest({
    adapters: [thingService(variant)],
    upstreams: { things: { baseUrl: server.url, ...upstream } },
    clock: new FakeClock(),
  });
  await rest.call(thingAdapter(variant), thingRequest({ name: "a" }));
  await rest.close();
  return seen.promise;
}

const BOUNDARY = `----connect-rest-${"ab".repeat(16)}`;

test("a multipart request has a length, and its Content-Type names the boundary even if the method sets a Content-Type", async () => {
  const { headers, text } = await sent((out) => {
    out.header("content-type", "multipart/form-data");
    out.part("a", "1");
  });
  expect(headers["content-type"]).toBe(`multipart/form-data; boundary=${BOUNDARY}`);
  expect(text).toBe(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--${BOUNDARY}--\r\n`,
  );
  expect(headers["content-length"]).toBe(String(text.length));
  expect(headers["transfer-encoding"]).toBeUndefined();
});

test.each([
  ["multipart", (out: RequestWriter) => out.part("a", "1"), undefined],
  ["JSON", (out: RequestWriter) => out.json({ a: "1" }), undefined],
  ["form", (out: RequestWriter) => out.form("a", "1"), "a=1"],
] as const)("OAuth 1.0a signs a form body, and no other body: %s", async (_kind, write, form) => {
  const { headers } = await sent(
    (out) => {
      out.query("q", "2");
      write(out);
    },
    { credentials: ["oauth1_client"] },
    { credentials: { oauth1: { consumerKey: "ck", consumerSecret: "cs" } } },
  );
  const header = headers.authorization ?? "";
  const oauth = [...header.matchAll(/(oauth_\w+)="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, decodeURIComponent(value)] as const,
  );
  const signature = oauth.find(([name]) => name === "oauth_signature")?.[1];
  const parameters = oauth.filter(([name]) => name !== "oauth_signature");
  const origin = SERVERS[SERVERS.length - 1]?.url ?? "";
  const request = { verb: "POST", origin, path: "/things", queryString: "q=2", form };
  expect(signature).toBe(
    hmacSha1(signatureBaseString(request, parameters), { consumerSecret: "cs", tokenSecret: "" }),
  );
});
