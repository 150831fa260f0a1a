/**
 * Tests every registration member and every parameter with values of wrong types, which must cause OAuth
 * errors.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ANY_RATE, type AuthorizedGateway, startAuthorized } from "../support/authorized-gateway.ts";
import { type Answer, OAuthSteps, REDIRECT_URI } from "../support/oauth-steps.ts";

let served: AuthorizedGateway;
let steps: OAuthSteps;
let clientId: string;
beforeAll(async () => {
  const limits = {
    drainNoticeMs: 1,
    ...ANY_RATE,
  };
  served = await startAuthorized({}, { limits });
  steps = new OAuthSteps(served);
  clientId = await steps.publicClient();
});
afterAll(() => served.close());

/**
 * Members of RFC 7591 section 2, RFC 9126 and OpenID Connect Registration, and names with a special meaning
 * in JavaScript.
 */
const MEMBERS = [
  ...["client_name", "client_uri", "logo_uri", "tos_uri", "policy_uri", "contacts", "scope"],
  ...["redirect_uris", "grant_types", "response_types", "token_endpoint_auth_method", "jwks", "jwks_uri"],
  ...["software_id", "software_version", "software_statement", "client_id", "client_secret"],
  ...["client_name#de", "application_type", "default_max_age", "request_uris", "sector_identifier_uri"],
  ...["initiate_login_uri", "post_logout_redirect_uris", "__proto__", "constructor", "toString", "then"],
];

/** JSON texts that a client sends, including texts that JSON.stringify cannot produce. */
const VALUES: Readonly<Record<string, string>> = {
  null: "null",
  true: "true",
  "a number": "1e308",
  "a large number": "9".repeat(400),
  "an empty string": '""',
  "a text": '"a"',
  "a long string": `"${"a".repeat(5000)}"`,
  "a lone surrogate": '"\\ud800"',
  "a null character": '"\\u0000"',
  "a script": '"javascript:alert(1)"',
  "an empty list": "[]",
  "an empty object": "{}",
  "a list of lists": "[[]]",
  "a list of nulls": "[null]",
  "a list of numbers": "[1]",
  "a list of empty strings": '[""]',
  "20,000 texts": `[${Array.from({ length: 20_000 }, () => '""').join(",")}]`,
  "12,000 nulls": `[${Array.from({ length: 12_000 }, () => "null").join(",")}]`,
  "an object with toString": '{"toString":1,"valueOf":1,"length":-1,"then":{}}',
  "lists 5,000 deep": "[".repeat(5000) + "]".repeat(5000),
  "objects 5,000 deep": `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
  "a string in lists 20,000 deep": `${"[".repeat(20_000)}"a"${"]".repeat(20_000)}`,
};

/** Checks that a response is an OAuth error (RFC 6749 section 5.2, RFC 7591 section 3.2.2). */
function expectOAuthError(answer: Answer, what: string): void {
  expect(answer.headers.get("content-type"), what).toBe("application/json");
  expect(answer.body, what).toEqual({
    error: expect.stringMatching(/^[a-z_]+$/),
    error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
  });
}

test.each(MEMBERS)("a registration with any value of %s gets a client or an OAuth error", async (name) => {
  for (const [kind, value] of Object.entries(VALUES)) {
    const rest = name === "redirect_uris" ? "" : `"redirect_uris":["${REDIRECT_URI}"],`;
    const body = `{${rest}${JSON.stringify(name)}:${value}}`;
    const headers = { "content-type": "application/json" };
    const answer = await steps.request("/register", { method: "POST", headers, body });
    const what = `${name}: ${kind}: ${answer.text.slice(0, 300)}`;
    expect(body.length > 64 * 1024 ? [413] : [201, 400], what).toContain(answer.status);
    if (answer.status !== 201) expectOAuthError(answer, what);
  }
});

test.each(Object.entries(VALUES))("a registration that is %s is rejected", async (_, body) => {
  const answer = await steps.request("/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  if (body === "{}") expect(answer.body.error).toBe("invalid_redirect_uri");
  expect(answer.status).toBe(400);
  expectOAuthError(answer, body.slice(0, 20));
});

const PARAMETERS = [
  ...["grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "code"],
  ...["code_verifier", "redirect_uri", "refresh_token", "scope", "resource", "token", "token_type_hint"],
  ...["response_type", "response_mode", "state", "code_challenge", "code_challenge_method", "prompt"],
  ...["request", "request_uri", "claims", "nonce", "max_age", "acr_values", "id_token_hint", "login_hint"],
  ...["registration", "ui_locales", "dpop_jkt", "authorization_details", "__proto__", "toString"],
];
const TEXTS: readonly string[] = [
  ...["", " ", "\u0000", "\r\n", "\ud800", "ü", "-1", "NaN", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "[]", "{}"],
  ...["a".repeat(6000), "a ".repeat(3000), "[".repeat(6000), "%".repeat(2000), "https://", "[object Object]"],
];
const GRANTS: readonly (readonly [string, string])[] = [
  ["/token", "authorization_code"],
  ["/token", "refresh_token"],
  ["/token", "client_credentials"],
  ["/revoke", ""],
];

test.each(GRANTS)(
  "%s with the grant %s handles any value of any parameter, given once or many times",
  async (path, grant) => {
    const good = { grant_type: grant, client_id: clientId, code: "a", code_verifier: "a".repeat(43) };
    for (const name of PARAMETERS) {
      for (const text of TEXTS) {
        for (const times of text === "-1" ? [1, 2, 1000] : [1]) {
          const form = Object.entries({ ...good, refresh_token: "a", token: "a" }).filter(
            ([key]) => key !== name,
          );
          const hostile = Array.from({ length: times }, () => [name, text] as const);
          const answer = await steps.post(path, [...form, ...hostile]);
          const what = `${name}=${text.slice(0, 30)}: ${answer.text.slice(0, 300)}`;
          expect([400, 401, ...(path === "/revoke" ? [200] : [])], what).toContain(answer.status);
          if (answer.status !== 200) expectOAuthError(answer, what);
        }
      }
    }
  },
);

test("/authorize handles any value of any parameter, given once or many times", async () => {
  for (const name of PARAMETERS) {
    for (const text of TEXTS) {
      for (const times of text === "-1" ? [1, 2, 100] : [1]) {
        const further = `&${new URLSearchParams([[name, text]])}`.repeat(times);
        const end = await steps.authorize(clientId, { [name]: undefined }, further);
        const what = `${name}=${text.slice(0, 30)}`;
        if (end instanceof URL) {
          const error = end.searchParams.get("error") ?? new URLSearchParams(end.hash.slice(1)).get("error");
          expect(error, what).not.toBe("server_error");
          expect(error === null ? end.searchParams.has("code") : /^[a-z_]+$/.test(error), what).toBe(true);
        } else {
          expect([400, 414, 431], what).toContain(end.status);
        }
      }
    }
  }
});
