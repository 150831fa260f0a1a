import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAssertion, MAX_ASSERTION_SECONDS } from "../../authorization/src/server/client-assertion.ts";
import { PostgresStore } from "../../authorization/src/store/postgres-store.ts";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import type { Store } from "../../authorization/src/store/store.ts";
import {
  POSTGRES_PROGRAMS,
  startPostgres,
  type TestPostgres,
} from "../../authorization/src/testing/postgres.ts";
import { type AuthorizedGateway, PUBLIC_URL, startAuthorized } from "../support/authorized-gateway.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  if (POSTGRES_PROGRAMS !== undefined) postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.remove());

const STORES = [
  { name: "SQLite", isMissing: false, open: (): Store => new SqliteStore({ file: ":memory:" }) },
  {
    name: "PostgreSQL",
    isMissing: POSTGRES_PROGRAMS === undefined,
    open: (): Store => new PostgresStore({ url: postgres?.url ?? "" }),
  },
];

describe.each(STORES)("$name", ({ isMissing, open }) => {
  let served: AuthorizedGateway;
  let steps: OAuthSteps;
  beforeAll(async () => {
    if (isMissing) return;
    served = await startAuthorized({ store: open(), clients: [clientOf("keyed")] as never });
    steps = new OAuthSteps(served);
  });
  afterAll(() => served?.close());

  const errors = () => served.lines.filter(({ msg }) => msg === "authorization failed");
  const send = (assertion: string) =>
    steps.token({
      grant_type: "client_credentials",
      client_assertion_type: BEARER,
      client_assertion: assertion,
    });

  test.skipIf(isMissing).each([
    ["an integer time", {}, {}],
    ["a time with a fraction", {}, { exp: nowSeconds() + 1000.123_456_7 }],
    ["the token endpoint as its audience", {}, { aud: `${PUBLIC_URL}/token` }],
    ["one audience in a list", {}, { aud: [PUBLIC_URL] }],
    ["the type JWT", { typ: "JWT" }, {}],
    ["the type of RFC 7523 bis", { typ: "client-authentication+jwt" }, {}],
    ["headers that have no effect", { jku: "http://127.0.0.1:1/", x5u: "a", cty: "b" }, {}],
  ])("an assertion with %s is accepted once", async (_, header, claims) => {
    const assertion = assertionOf(header, claims);
    expect(await send(assertion)).toMatchObject({ status: 200 });
    expect(await send(assertion)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(errors()).toEqual([]);
  });

  test.skipIf(isMissing).each([
    ["a time that overflows a double", {}, '{"exp":1e400}', "must expire within"],
    ["a time that no database column holds", {}, { exp: 1e300 }, "must expire within"],
    ["a time in a hundred years", {}, { exp: nowSeconds() + 3e9 }, "must expire within"],
    ["a time slightly too late", {}, { exp: nowSeconds() + 2 * MAX_ASSERTION_SECONDS }, "must expire within"],
    ["two audiences", {}, { aud: [PUBLIC_URL, "https://other.test"] }, "this server alone"],
    ["an unsupported critical header", { crit: ["b64"], b64: false }, {}, "crit or b64"],
    ["a known claim marked as critical", { crit: ["exp"] }, {}, undefined],
    ["the type of an access token", { typ: "at+jwt" }, {}, "typ of the assertion"],
    ["the type of a DPoP proof", { typ: "dpop+jwt" }, {}, "typ of the assertion"],
    ["a type that is a number", { typ: 5 }, {}, "typ of the assertion"],
    ["no time", {}, { exp: undefined }, undefined],
    ["a time in the past", {}, { exp: nowSeconds() - 1000 }, undefined],
    ["a time that is a string", {}, { exp: String(nowSeconds() + 60) }, undefined],
    ["a start time in the future", {}, { nbf: nowSeconds() + 1000 }, undefined],
    ["another audience", {}, { aud: "https://other.test" }, undefined],
    ["another issuer", {}, { iss: "other" }, undefined],
    ["another subject", {}, { sub: "other" }, undefined],
    ["no ID", {}, { jti: undefined }, undefined],
    ["an unknown key ID", { kid: "../../../etc/passwd" }, {}, undefined],
    ["no algorithm", { alg: "none" }, {}, undefined],
    ["a symmetric algorithm", { alg: "HS256" }, {}, undefined],
  ])("an assertion with %s is rejected with a reason", async (_, header, claims, text) => {
    const answer = await send(assertionOf(header, claims));
    expect(answer).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(answer.body.error_description).toContain(text ?? "client authentication failed");
    expect(errors()).toEqual([]);
  });

  test.skipIf(isMissing)("property: no client id makes the store fail", async () => {
    const ids = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom("\u0000", "a\u0000", "ü".repeat(5000), "a".repeat(50_000), "Client", "__proto__", "%"),
    );
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const answer = await steps.token({
          grant_type: "client_credentials",
          client_id: id,
          client_secret: "x",
        });
        expect(answer.status, answer.text).toBeLessThan(500);
      }),
      { numRuns: 60, examples: [["\u0000"], ["a\u0000b"]] },
    );
    expect(errors()).toEqual([]);
  });
});

test("property: an accepted assertion is kept for at most an hour, even if it expires later", () => {
  const now = 1_800_000_000_000;
  fc.assert(
    fc.property(
      fc.oneof(fc.double(), fc.integer(), fc.anything(), fc.constant(now / 1000 + 10)),
      (exp: unknown) => {
        try {
          checkAssertion({ exp, aud: "a" }, {}, now);
        } catch {
          return;
        }
        expect(Number(exp)).toBeLessThanOrEqual(now / 1000 + MAX_ASSERTION_SECONDS);
      },
    ),
    { numRuns: 300 },
  );
});

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function clientOf(id: string): object {
  return {
    client_id: id,
    jwks: { keys: [publicKey.export({ format: "jwk" })] },
    token_endpoint_auth_method: "private_key_jwt",
    grant_types: ["client_credentials"],
    response_types: [],
    redirect_uris: [],
  };
}

/** @param claims claims that replace valid ones; a string is appended to the JSON unchanged */
function assertionOf(header: object, claims: object | string): string {
  const exp = nowSeconds() + 60;
  const good = { iss: "keyed", sub: "keyed", aud: PUBLIC_URL, jti: randomUUID(), exp };
  const payload =
    typeof claims === "string"
      ? `${JSON.stringify(good).slice(0, -1)},${claims.slice(1)}`
      : JSON.stringify({ ...good, ...claims });
  const parts = [JSON.stringify({ alg: "ES256", ...header }), payload];
  const input = parts.map((part) => Buffer.from(part).toString("base64url")).join(".");
  const signature = sign("sha256", Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${input}.${signature.toString("base64url")}`;
}
