import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Code } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { MethodRules } from "../adapter/rules.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { RequestWriter } from "../request/request-writer.ts";
import { createRest, type Rest } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { httpUpstream, type TestServer, textOfRequest } from "../testing/servers.ts";
import { type ThingVariant, thingAdapter, thingRequest, thingService } from "../testing/thing-service.ts";
import { Secret } from "../text/secret.ts";
import type { CredentialsSource } from "./credentials.ts";

interface Seen {
  readonly verb: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const OPEN: Array<Rest | TestServer> = [];

afterEach(async () => {
  for (const one of OPEN.splice(0)) await ("close" in one ? one.close() : one[Symbol.asyncDispose]());
});

async function seenWith(
  credentials: CredentialsSource | undefined,
  rules: Partial<MethodRules>,
  request?: ThingVariant["request"],
): Promise<{ readonly seen: Seen; readonly origin: string }> {
  let seen: Seen | undefined;
  const server = await httpUpstream(async (incoming, response) => {
    const { method: verb = "", url = "", headers } = incoming;
    seen = { verb, url, headers, authorization: headers.authorization, body: await textOfRequest(incoming) };
    response.end("{}");
  });
  const variant = request === undefined ? { rules } : { rules, request };
  const rest = createRest({
    adapters: [thingService(variant)],
    upstreams: { things: { baseUrl: server.url, credentials } },
  });
  OPEN.push(rest, server);
  const header = { authorization: "Bearer of-the-caller" };
  await rest.call(thingAdapter(), thingRequest({ name: "t:a", limit: 5 }), { header });
  if (seen === undefined) throw new Error("no request came");
  return { seen, origin: server.url };
}

/** Computes the signature of a received request again, without the code under test. */
function verify(
  seen: Seen,
  origin: string,
  consumerSecret: string,
  tokenSecret: string,
): Record<string, string> {
  const items = [...(seen.authorization ?? "").matchAll(/(\w+)="([^"]*)"/g)];
  const oauth = Object.fromEntries(
    items.map(([, name = "", value = ""]) => [name, decodeURIComponent(value)]),
  );
  const { oauth_signature, ...signed } = oauth;
  const [path = "", query = ""] = seen.url.split("?");
  const form = /x-www-form-urlencoded/.test(seen.headers["content-type"] ?? "") ? seen.body : "";
  const parameters = [...new URLSearchParams(query), ...new URLSearchParams(form), ...Object.entries(signed)]
    .map((pair) => pair.map(encode).join("="))
    .sort()
    .join("&");
  const base = [seen.verb, `${origin}${path}`, parameters].map(encode).join("&");
  const key = `${encode(consumerSecret)}&${encode(tokenSecret)}`;
  expect(oauth_signature).toBe(createHmac("sha1", key).update(base).digest("base64"));
  return oauth;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const oauth1 = { consumerKey: "ck", consumerSecret: "c&s", token: "tk", tokenSecret: "ts" };

test("an API key is sent in a query parameter", async () => {
  const { seen } = await seenWith(
    { apiKey: "k y&" },
    { credentials: ["api_key"], apiKey: { query: "api_key" } },
  );
  expect(seen.url).toBe("/things/t%3Aa?limit=5&api_key=k%20y%26");
  expect(seen.authorization).toBeUndefined();
});

test("an API key is sent in a header with its prefix", async () => {
  const { seen } = await seenWith(
    { apiKey: new Secret("abc") },
    { credentials: ["api_key"], apiKey: { header: "Authorization", prefix: "Key " } },
  );
  expect(seen.authorization).toBe("Key abc");
  expect(seen.url).toBe("/things/t%3Aa?limit=5");
});

test("an OAuth 2 token is sent as a bearer token", async () => {
  const { seen } = await seenWith({ oauth2: { accessToken: "at" } }, { credentials: ["oauth2"] });
  expect(seen.authorization).toBe("Bearer at");
});

test("OAuth 1.0a signs the query exactly as it is sent", async () => {
  const { seen, origin } = await seenWith({ oauth1 }, { credentials: ["oauth1"] });
  const oauth = verify(seen, origin, "c&s", "ts");
  expect(oauth).toMatchObject({ oauth_consumer_key: "ck", oauth_token: "tk", oauth_version: "1.0" });
  expect(Math.abs(Number(oauth.oauth_timestamp) * 1000 - Date.now())).toBeLessThan(60_000);
  expect(oauth.oauth_nonce).toMatch(/^[0-9a-f]{32}$/);
});

test("OAuth 1.0a signs a form that has lists in brackets and all kinds of characters", async () => {
  const { seen, origin } = await seenWith({ oauth1 }, { credentials: ["oauth1"] }, () => {
    const request = new RequestWriter("POST", "/v2/post");
    request.query("api_key", "k");
    request.form("body", "a b+c&d=é!*'()");
    request.formList("tag", ["x", "y"], "indexed");
    return request;
  });
  expect(seen.body).toBe("body=a%20b%2Bc%26d%3D%C3%A9%21%2A%27%28%29&tag%5B0%5D=x&tag%5B1%5D=y");
  verify(seen, origin, "c&s", "ts");
});

test("OAuth 1.0a does not sign JSON bodies or raw bytes", async () => {
  for (const write of [
    (request: RequestWriter) => request.json({ id: 700000000000000001n }),
    (request: RequestWriter) => request.bytes("multipart/form-data; boundary=x", Buffer.from("--x--")),
  ]) {
    const { seen, origin } = await seenWith({ oauth1 }, { credentials: ["oauth1"] }, () => {
      const request = new RequestWriter("POST", "/v2/post");
      write(request);
      return request;
    });
    verify(seen, origin, "c&s", "ts");
    expect(seen.body).toMatch(/^({"id":700000000000000001}|--x--)$/);
  }
});

test("OAuth 1.0a signs without a token if the method requires only the credentials of the client", async () => {
  const { seen, origin } = await seenWith({ oauth1 }, { credentials: ["oauth1_client"] });
  expect(verify(seen, origin, "c&s", "")).not.toHaveProperty("oauth_token");
});

test("OAuth 1.0a sends protocol parameters from the request, and a token in the request replaces the configured token", async () => {
  const { seen, origin } = await seenWith({ oauth1 }, { credentials: ["oauth1_client"] }, () => {
    const request = new RequestWriter("POST", "/access_token");
    request.oauth1Param("oauth_token", "temporary");
    request.oauth1Param("oauth_token_secret", "temporary secret");
    request.oauth1Param("oauth_verifier", "v é");
    return request;
  });
  const oauth = verify(seen, origin, "c&s", "temporary secret");
  expect(oauth).toMatchObject({ oauth_token: "temporary", oauth_verifier: "v é" });
  expect(oauth).not.toHaveProperty("oauth_token_secret");
  expect(seen.headers["content-length"]).toBe("0");
});

const keyRules = { apiKey: { header: "x-key" } };

test.each([
  [["oauth2", "api_key"], "api_key"],
  [["oauth1", "api_key"], "oauth1"],
  [["api_key", "oauth1"], "api_key"],
  [["none", "api_key"], "none"],
  [["oauth2", "none"], "none"],
  [[], "none"],
] as const)("a method that accepts the credentials %j sends %s", async (credentials, kind) => {
  const { seen } = await seenWith({ apiKey: "k", oauth1 }, { ...keyRules, credentials });
  const sent = seen.headers["x-key"] === "k" ? "api_key" : seen.authorization ? "oauth1" : "none";
  expect(sent).toBe(kind);
});

test("a call without matching credentials fails with an error that names the accepted kinds", async () => {
  const error = await failureOf(seenWith({ apiKey: "k" }, { credentials: ["oauth1", "oauth2"] }));
  expect(error.rawMessage).toBe(
    "upstream things: test.v1.ThingService.GetThing needs one of oauth1, oauth2, got api_key",
  );
  expect([error.code, reasonOf(error)]).toEqual([Code.Unauthenticated, "UPSTREAM_CREDENTIALS_MISSING"]);
  const none = await failureOf(seenWith(undefined, { credentials: ["oauth2"] }));
  expect(none.rawMessage).toMatch(/needs one of oauth2, got no credentials$/);
});

const bearerRules = { credentials: ["oauth2"] } as const;

test("a credentials function receives the method and the headers of the call", async () => {
  const { seen } = await seenWith(
    async ({ method, header }) => ({
      oauth2: { accessToken: `${method.name}/${header.get("authorization")?.slice("Bearer ".length)}` },
    }),
    bearerRules,
  );
  expect(seen.authorization).toBe("Bearer GetThing/of-the-caller");
});

test("an exception in a credentials function causes an internal error that does not disclose the exception", async () => {
  const error = await failureOf(
    seenWith(() => {
      throw new Error("store at 10.0.0.1 is down");
    }, bearerRules),
  );
  expect(error.rawMessage).toBe("upstream things: the credentials of the call could not be determined");
  expect([error.code, reasonOf(error)]).toEqual([Code.Internal, "UPSTREAM_CREDENTIALS_FAILED"]);
  expect(String(error.cause)).toContain("10.0.0.1");
});

test("credentials are rejected if a function returns a token with a line break", async () => {
  const error = await failureOf(seenWith(() => ({ oauth2: { accessToken: "a\r\nx: y" } }), bearerRules));
  expect(error.rawMessage).toBe(
    "upstream things: oauth2 credentials: expected printable ASCII on one line, got a line break",
  );
  expect(error.code).toBe(Code.Unauthenticated);
});

test("a call fails if its credentials function returns no credentials", async () => {
  const error = await failureOf(seenWith((() => undefined) as never, bearerRules));
  expect(reasonOf(error)).toBe("UPSTREAM_CREDENTIALS_MISSING");
});

test.each<[CredentialsSource, string]>([
  [{ apiKey: "" }, "option credentials.apiKey: expected printable ASCII on one line, got an empty string"],
  [{ apiKey: "hush\n" }, "option credentials.apiKey: expected printable ASCII on one line, got a line break"],
  [
    { oauth2: { accessToken: new Secret(" hush") } },
    "option credentials.oauth2.accessToken: expected printable ASCII on one line, got white space around it",
  ],
  [
    { oauth1: { consumerKey: "hush", consumerSecret: "é" } },
    "option credentials.oauth1.consumerSecret: expected printable ASCII on one line, got a control character, or one that is not ASCII",
  ],
  [
    { oauth1: { consumerKey: "hush" } as never },
    "option credentials.oauth1.consumerSecret: expected printable ASCII on one line, got an empty string",
  ],
  ["hush" as never, "option credentials: expected an object or a function, got string"],
])("invalid fixed credentials are rejected when the upstream is created: %#", async (credentials, text) => {
  const error = await failureOf(seenWith(credentials, {}));
  expect(error.rawMessage).toBe(`upstream things: ${text}`);
  expect(error.message).not.toContain("hush");
});

test("fixed credentials may have empty secrets (RFC 5849 section 3.4.2)", async () => {
  const empty = { consumerKey: "ck", consumerSecret: "", token: "tk", tokenSecret: "" };
  const { seen, origin } = await seenWith({ oauth1: empty }, { credentials: ["oauth1"] });
  verify(seen, origin, "", "");
});
