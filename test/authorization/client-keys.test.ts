import {
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
} from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { type AuthorizedGateway, PUBLIC_URL, startAuthorized } from "../support/authorized-gateway.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

/** Keys of every supported type, with functions that sign with them. */
const PAIRS = {
  "P-256": { pair: generateKeyPairSync("ec", { namedCurve: "P-256" }), alg: "ES256", hash: "sha256" },
  Ed25519: { pair: generateKeyPairSync("ed25519"), alg: "EdDSA", hash: undefined },
  RSA: { pair: generateKeyPairSync("rsa", { modulusLength: 2048 }), alg: "RS256", hash: "sha256" },
} as const;
type Type = keyof typeof PAIRS;
const TYPES = Object.keys(PAIRS) as Type[];

let served: AuthorizedGateway;
let steps: OAuthSteps;
let failures: unknown[];
beforeAll(async () => {
  const store = new SqliteStore({ file: ":memory:" });
  served = await startAuthorized({ store });
  steps = new OAuthSteps(served);
});
afterAll(() => served.close());

const verify = vi.spyOn(crypto.subtle, "verify");
beforeEach(() => {
  verify.mockClear();
  failures = served.lines.filter(({ msg }) => msg === "authorization failed");
});

const jwkOf = (type: Type): JsonWebKey => PAIRS[type].pair.publicKey.export({ format: "jwk" });

/** Returns another key of the type, which is not used to sign an assertion. */
function strange(type: Type): JsonWebKey {
  const key = jwkOf(type);
  if (type === "RSA") return { ...key, n: randomBytes(256).toString("base64url") };
  if (type === "Ed25519") return { ...key, x: randomBytes(32).toString("base64url") };
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: type });
  return publicKey.export({ format: "jwk" });
}

const register = (keys: readonly object[]) =>
  steps.register({
    grant_types: ["client_credentials"],
    token_endpoint_auth_method: "private_key_jwt",
    jwks: { keys },
  });

function assertionOf(id: string, type: Type, kid: string | undefined): string {
  const { pair, alg, hash } = PAIRS[type];
  const exp = Math.floor(Date.now() / 1000) + 60;
  const claims = { iss: id, sub: id, aud: PUBLIC_URL, jti: randomUUID(), exp };
  const input = [{ alg, ...(kid !== undefined && { kid }) }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const key = { key: pair.privateKey as KeyObject, dsaEncoding: "ieee-p1363" } as const;
  return `${input}.${sign(hash, Buffer.from(input), key).toString("base64url")}`;
}

const authenticate = (assertion: string) =>
  steps.token({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });

const kinds = fc.record({ type: fc.constantFrom(...TYPES), hasId: fc.boolean() });

test("property: verifying an assertion takes only one signature check, however many keys are registered", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(kinds, { maxLength: 16 }),
      kinds,
      fc.boolean(),
      async (others, own, isNamed) => {
        const keys = others.map(({ type, hasId }, index) => ({
          ...strange(type),
          ...(hasId && { kid: `k${index}` }),
        }));
        const all = [...keys, { ...jwkOf(own.type), ...(own.hasId && { kid: "own" }) }];
        const { status, body } = await register(all);
        const isUnambiguous = all.length === 1 || all.every((key) => "kid" in key);
        expect([all.length, status]).toEqual([all.length, isUnambiguous && all.length <= 16 ? 201 : 400]);
        if (status !== 201) return;
        verify.mockClear();
        const kid = isNamed && own.hasId ? "own" : undefined;
        const answer = await authenticate(assertionOf(String(body.client_id), own.type, kid));
        expect(verify.mock.calls.length).toBeLessThanOrEqual(1);
        const { kty, crv } = jwkOf(own.type);
        const fitting = all.filter((key) => key.kty === kty && key.crv === crv);
        expect(answer.status).toBe(kid !== undefined || fitting.length === 1 ? 200 : 401);
      },
    ),
    { numRuns: 40, interruptAfterTimeLimit: 20_000 },
  );
  expect(served.lines.filter(({ msg }) => msg === "authorization failed")).toEqual(failures);
}, 30_000);

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...jwkOf("P-256"), kid: `${index}` }));

test.each([
  ["16 keys", many(16), 201],
  ["17 keys", many(17), 400],
  ["400 keys", many(400), 400],
  ["400 keys without kid", Array(400).fill(jwkOf("P-256")), 400],
  [
    "two keys with the same kid",
    [
      { ...jwkOf("P-256"), kid: "a" },
      { ...jwkOf("RSA"), kid: "a" },
    ],
    400,
  ],
  ["an RSA key of 16,384 bits", [{ ...jwkOf("RSA"), n: "w".repeat(2731) }], 400],
  ["a public exponent of 2,048 bits", [{ ...jwkOf("RSA"), e: "w".repeat(342) }], 400],
  ["a kid of 10,000 characters", [{ ...jwkOf("P-256"), kid: "k".repeat(10_000) }], 400],
  ["a kid that is a number", [{ ...jwkOf("P-256"), kid: 1 }], 400],
  ["a key for a post-quantum algorithm", [{ kty: "AKP", alg: "ML-DSA-44", pub: "a" }], 400],
  ["a symmetric key", [{ kty: "oct", k: "a" }], 400],
  ["a private key", [PAIRS["P-256"].pair.privateKey.export({ format: "jwk" })], 400],
  ["a key that is null", [null], 400],
] as const)("%s: %#", async (_what, keys, expected) => {
  const { status, body } = await register(keys as readonly object[]);
  expect([status, body.error]).toEqual([expected, expected === 201 ? undefined : "invalid_client_metadata"]);
});

test("additional members of a key are not stored, even if they are large", async () => {
  const { status, body } = await register([
    { ...jwkOf("P-256"), x5c: ["a".repeat(20_000)], other: { a: [1] } },
  ]);
  expect(status).toBe(201);
  expect(body.jwks).toEqual({ keys: [jwkOf("P-256")] });
});
