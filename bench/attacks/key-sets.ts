import { generateKeyPairSync, type JsonWebKey, randomBytes, randomUUID } from "node:crypto";
import { fetchBy, PUBLIC_URL } from "../../test/support/authorized-gateway.ts";
import { OAuthSteps } from "../../test/support/oauth-steps.ts";
import { type Attack, pause } from "./attack.ts";

/** Far more keys than a client needs. */
const KEYS = 400;
/** The maximum number of keys that a client may register. */
const KEPT = 16;
const EVERY_MS = 100;

/** Returns a key that signs nothing. */
function strange(): JsonWebKey {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
}

function register(steps: OAuthSteps, keys: readonly object[]) {
  const token_endpoint_auth_method = "private_key_jwt";
  return steps.register({ grant_types: ["client_credentials"], token_endpoint_auth_method, jwks: { keys } });
}

/** Returns an assertion with an invalid signature. */
function assertion(id: string, kid: string | undefined): string {
  const exp = Math.floor(Date.now() / 1000) + 60;
  const claims = { iss: id, sub: id, aud: PUBLIC_URL, jti: randomUUID(), exp };
  const parts = [{ alg: "ES256", ...(kid !== undefined && { kid }) }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)),
  );
  return [...parts, randomBytes(64)].map((part) => part.toString("base64url")).join(".");
}

export const keySets: Attack = {
  name: "keys",
  does: `a client with ${KEYS} keys, and ${1000 / EVERY_MS} rejected assertions a second`,
  serves: "authorization",
  others: "a page of posts",
  slower: 5,
  costs: { what: "a rejected assertion", calls: 25 },
  begin: async (port, did) => {
    const url = `http://127.0.0.1:${port}`;
    const steps = new OAuthSteps({ fetch: fetchBy(url) });
    // If the gateway rejects this many keys, the client registers the highest accepted number.
    const many = await register(
      steps,
      Array.from({ length: KEYS }, () => strange()),
    );
    const few = Array.from({ length: KEPT }, (_, index) => ({ ...strange(), kid: `k${index}` }));
    const isTaken = many.status === 201;
    const { body } = isTaken ? many : await register(steps, few);
    for (;;) {
      void steps
        .token({
          grant_type: "client_credentials",
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: assertion(String(body.client_id), isTaken ? undefined : "k0"),
        })
        .then(() => did(1));
      await pause(EVERY_MS);
    }
  },
};
