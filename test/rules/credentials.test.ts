import { createHmac } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { type Credentials, reasonOf } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { type ConfirmCodeRequestSchema, CredentialService } from "../gen/rules/v1/credentials_pb.ts";
import { CredentialService_byBearer, CredentialServiceRest } from "../gen/rules/v1/credentials_rest.ts";
import { type Seen, start } from "./world.ts";

const ALL: Credentials = {
  apiKey: "k&1",
  oauth1: { consumerKey: "consumer", consumerSecret: "c secret", token: "token", tokenSecret: "t&secret" },
  oauth2: { accessToken: "bearer.1" },
};

const credentials = (given: Credentials = ALL) =>
  start(CredentialService, CredentialServiceRest, {}, { upstream: { credentials: given } });

test("API_KEY: the key is sent in the query or in a header, with a prefix", async () => {
  const { client, seen } = await credentials();
  await client.byQueryKey({ text: "t" });
  await client.byHeaderKey({ text: "t" });
  expect(seen.map(({ line, headers }) => [line, headers])).toEqual([
    ["GET /query-key?text=t&api_key=Key%20k%261", []],
    ["GET /header-key?text=t", ["x-key: Key k&1"]],
  ]);
});

test("BASIC: a user and password, or a token as the user, are sent, and are not in errors", async () => {
  const { client, seen } = await credentials({ basic: { username: "ada", password: "pass:wört" } });
  await client.byPassword({});
  const token = await start(
    CredentialService,
    CredentialServiceRest,
    { status: 403, json: { message: "no sk_live_1, nor c2tfbGl2ZV8xOg==" } },
    { upstream: { credentials: { basic: { username: "sk_live_1" } } } },
  );
  const error = await failureOf(token.client.byPassword({}));
  const sent = [...seen, ...token.seen].map(({ headers }) =>
    headers[0]?.replace("authorization: Basic ", ""),
  );
  expect(sent.map((text) => Buffer.from(text ?? "", "base64").toString())).toEqual([
    "ada:pass:wört",
    "sk_live_1:",
  ]);
  expect(error.rawMessage).toBe("upstream rules responded with 403 Forbidden: no [secret], nor [secret]");
});

test("BASIC: a user name with a colon is rejected, because it would be read as another user", async () => {
  const failure = await failureOf(() => credentials({ basic: { username: "a:b" } }));
  expect(failure.rawMessage).toBe(
    "upstream rules: option credentials.basic: expected a username without a colon or control characters, got a colon in the user's name",
  );
});

test("NONE: no credentials are sent, even if some are configured", async () => {
  const { client, seen } = await credentials();
  await client.byNothing({});
  expect([seen[0]?.line, seen[0]?.headers]).toEqual(["GET /none", []]);
});

test("OAUTH2: scopes are declared, and the first available kind of credentials is sent", async () => {
  const { client, seen } = await credentials();
  await client.byBearer({});
  expect(seen[0]?.headers).toEqual(["authorization: Bearer bearer.1"]);
  expect(CredentialService_byBearer.rules.scopes).toEqual(["read", "write:all"]);
  const key = await credentials({ apiKey: "k" });
  await key.client.byBearer({});
  expect([key.seen[0]?.line, key.seen[0]?.headers]).toEqual(["GET /oauth2?api_key=Key%20k", []]);
  const none = await credentials({});
  await none.client.byBearer({});
  expect([none.seen[0]?.line, none.seen[0]?.headers]).toEqual(["GET /oauth2", []]);
});

test("missing credentials get UNAUTHENTICATED before any request", async () => {
  const { client, seen } = await credentials({});
  for (const call of [client.byQueryKey({}), client.byToken({ text: "t" }), client.byClient({})]) {
    expect((await failureOf(call)).code).toBe(Code.Unauthenticated);
  }
  expect(seen).toEqual([]);
});

/** Percent-encodes by RFC 3986, as RFC 5849 section 3.6 requires. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns the parameters of an Authorization header (RFC 5849 section 3.5.1). */
function oauthOf({ headers }: Seen): Map<string, string> {
  const value =
    headers.find((header) => header.toLowerCase().startsWith("authorization: OAuth ".toLowerCase())) ?? "";
  const pairs = [...value.matchAll(/([\w%]+)="([^"]*)"/g)];
  return new Map(pairs.map(([, name = "", text = ""]) => [name, decodeURIComponent(text)]));
}

/** Returns the expected signature of a request, computed from the received request (RFC 5849 section 3.4). */
function signatureOf(origin: string, seen: Seen, form: string, key: string): string {
  const [verb = "", target = ""] = seen.line.split(" ");
  const [path = "", query = ""] = target.split("?");
  const oauth = [...oauthOf(seen)].filter(([name]) => name !== "oauth_signature");
  const parameters = [...new URLSearchParams(query), ...new URLSearchParams(form), ...oauth]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  const normalized = parameters.map(([name, value]) => `${name}=${value}`).join("&");
  const base = `${verb}&${encoded(origin + path)}&${encoded(normalized)}`;
  return createHmac("sha1", key).update(base).digest("base64");
}

test("OAUTH1: the signature covers the token, path and query", async () => {
  const { client, seen, origin } = await credentials();
  await client.byToken({ text: "a/b ü", more: "x=1&y (z)!*'" });
  const request = seen[0] as Seen;
  expect(request.line).toMatch(/^GET \/oauth1\/a%2Fb%20%C3%BC\?more=/);
  const oauth = oauthOf(request);
  expect([...oauth.keys()].sort()).toEqual([
    "oauth_consumer_key",
    "oauth_nonce",
    "oauth_signature",
    "oauth_signature_method",
    "oauth_timestamp",
    "oauth_token",
    "oauth_version",
  ]);
  expect(oauth.get("oauth_token")).toBe("token");
  expect(oauth.get("oauth_signature")).toBe(signatureOf(origin, request, "", "c%20secret&t%26secret"));
});

test("OAUTH1_CLIENT: the signature covers a form and an OAUTH1_PARAM, without a token", async () => {
  const { client, seen, origin } = await credentials();
  await client.byClient({ callback: "https://app.test/?a=b&c", text: "a b+c" });
  const request = seen[0] as Seen;
  expect([request.line, request.text]).toEqual(["POST /oauth1-client", "text=a%20b%2Bc"]);
  const oauth = oauthOf(request);
  expect(oauth.get("oauth_callback")).toBe("https://app.test/?a=b&c");
  expect(oauth.has("oauth_token")).toBe(false);
  expect(oauth.get("oauth_signature")).toBe(signatureOf(origin, request, request.text, "c%20secret&"));
});

test("property: the signature is valid for any text", async () => {
  const { client, seen, origin } = await credentials();
  const text = fc.string({ maxLength: 12 }).filter((value) => !/\p{Cc}/u.test(value));
  await fc.assert(
    fc.asyncProperty(text, async (more) => {
      await client.byToken({ text: "t", more });
      const request = seen.at(-1) as Seen;
      expect(oauthOf(request).get("oauth_signature")).toBe(
        signatureOf(origin, request, "", "c%20secret&t%26secret"),
      );
    }),
    { numRuns: 30 },
  );
});

const confirm = async (message: MessageInitShape<typeof ConfirmCodeRequestSchema>, status = 401) => {
  const answer = { status, json: { message: "The code 123456 has expired." } };
  const { client } = await start(CredentialService, CredentialServiceRest, answer, {
    upstream: { credentials: ALL },
  });
  const error = await failureOf(client.confirmCode(message));
  return [error.code, reasonOf(error), error.rawMessage];
};

test("credential_fields: a 401 for the caller's own credentials is the caller's error, with the upstream's text", async () => {
  const text = "upstream rules responded with 401 Unauthorized: The code [secret] has expired.";
  const rejected = [Code.Unauthenticated, "UNAUTHORIZED", text];
  expect(await confirm({ proof: { case: "code", value: "123456" } })).toEqual(rejected);
  expect(await confirm({ proof: { case: "login", value: { password: "123456" } } })).toEqual(rejected);
});

test("credential_fields: without these fields, a 401 means that the configured credentials were rejected", async () => {
  const rejected = [
    Code.Internal,
    "UPSTREAM_CREDENTIALS",
    "upstream rules: the configured credentials were rejected with status 401",
  ];
  expect(await confirm({ user: "ada" })).toEqual(rejected);
  expect(await confirm({ proof: { case: "login", value: {} } })).toEqual(rejected);
});

test("credential_fields: other statuses keep their meaning", async () => {
  const [code] = await confirm({ proof: { case: "code", value: "123456" } }, 403);
  expect(code).toBe(Code.PermissionDenied);
});
