import { z } from "zod";
import { isLoopback } from "../listener/hosts.ts";
import { DAY, flag, optionalSecret, seconds, secret, text } from "./schema-parts.ts";

const endpoint = z.string().refine(isEndpoint, {
  error: "expected an https address (http on loopback alone), without user and fragment",
});
const optionalEndpoint = endpoint.optional();

/** Parameters that the authorization flow sets itself. */
const OWN_PARAMETER =
  /^(?:response_type|client_id|redirect_uri|state|scope|code_challenge|code_challenge_method|oauth_.*)$/;

const parameters = z
  .record(text, z.string())
  .refine((value) => !Object.keys(value).some((name) => OWN_PARAMETER.test(name)), {
    error:
      "response_type, client_id, redirect_uri, state, scope, code_challenge and oauth_… are set by the flow itself",
  })
  .default({})
  .describe("Additional parameters of the authorization request, e.g. `{ prompt: login }`.");

const oauth2 = z.strictObject({
  authorizationEndpoint: endpoint.describe("Where people are sent to sign in."),
  tokenEndpoint: endpoint.describe("The endpoint where the gateway exchanges codes and refresh tokens."),
  revocationEndpoint: optionalEndpoint.describe(
    "The endpoint where the gateway revokes tokens (RFC 7009) when a session ends. Default: the tokens are deleted but not revoked.",
  ),
  issuer: optionalEndpoint.describe(
    "The issuer that authorization responses name as `iss` (RFC 9207). Without this setting, responses with an `iss` are rejected.",
  ),
  requireIssuer: flag(false).describe("Reject authorization responses without `iss`."),
  clientId: text.describe("The client ID under which the gateway is registered at the upstream."),
  clientSecret: optionalSecret.describe("The client secret. Default: none, for a public client."),
  clientAuthentication: z
    .enum(["client_secret_basic", "client_secret_post"])
    .default("client_secret_basic")
    .describe("How the client secret is sent: in the `Authorization` header, or in the body."),
  scopes: z
    .array(text.regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, { error: "expected the name of a scope" }))
    .default([])
    .describe("The scopes to request."),
  pkce: flag(true).describe(
    "Send a code challenge (PKCE, RFC 7636). Set `false` for servers that reject unknown parameters.",
  ),
  parameters,
});

const oauth1 = z.strictObject({
  requestTokenEndpoint: endpoint.describe("The endpoint that issues temporary credentials."),
  authorizationEndpoint: endpoint.describe("Where people are sent to sign in."),
  accessTokenEndpoint: endpoint.describe("The endpoint that exchanges temporary credentials for a token."),
  accessTokenMethod: z
    .enum(["POST", "GET"])
    .default("POST")
    .describe("The HTTP verb of requests to `accessTokenEndpoint`. RFC 5849 prescribes POST."),
  consumerKey: secret.describe("The gateway's consumer key."),
  consumerSecret: secret.describe("The gateway's consumer secret."),
  parameters,
});

const METHOD_NAME = /^[A-Za-z_][\w.]*\/[A-Za-z_]\w*$/;

const probe = {
  method: text
    .regex(METHOD_NAME, { error: "expected package.Service/Method" })
    .optional()
    .describe("A unary method of this upstream, `package.Service/Method`, called with the person's tokens."),
  request: z.json().optional().describe("The request message of the method. Default: an empty message."),
  url: optionalEndpoint.describe(
    "The URL of a JSON document, e.g. of a UserInfo endpoint, in place of `method`.",
  ),
};

const hasOneSource = (value: { readonly method?: string | undefined; readonly url?: string | undefined }) =>
  (value.method === undefined) !== (value.url === undefined);
const ONE_SOURCE = { error: "name exactly one of method and url" };

const identity = z
  .strictObject({
    ...probe,
    field: text.describe(
      "The path of the account's stable name or ID in the response, with dots between keys, e.g. `user.name`. For a method, keys are spelled as in ProtoJSON.",
    ),
  })
  .refine(hasOneSource, ONE_SOURCE);

const check = z
  .strictObject({
    ...probe,
    everySeconds: seconds(10, DAY, 300).describe(
      "The minimum time between two checks of a session. Only sessions in use are checked.",
    ),
  })
  .refine(hasOneSource, ONE_SOURCE);

/** The sign-in settings of one upstream (`upstreams.NAME.signIn`). */
export const upstreamSignIn = z
  .strictObject({
    title: text
      .max(60)
      .optional()
      .describe(
        "The name of the upstream that people see on the sign-in pages. Default: the upstream's name in this file.",
      ),
    oauth2: oauth2.optional().describe("Sign in with OAuth 2 (RFC 6749, authorization code)."),
    oauth1: oauth1.optional().describe("Sign in with OAuth 1.0a (RFC 5849)."),
    identity: identity.describe("How the gateway learns which account has signed in: by a method or a URL."),
    check: check
      .optional()
      .describe(
        "A cheap call that shows whether a session is still valid. Default: none, so a session ends when it expires or when the upstream rejects its tokens.",
      ),
    required: flag(true).describe(
      "Whether people must sign in at this upstream. With `false`, people may skip this sign-in.",
    ),
  })
  .refine((value) => (value.oauth2 === undefined) !== (value.oauth1 === undefined), {
    error: "name exactly one of oauth2 and oauth1",
  });

/** The settings that all upstreams with sign-in share (`authorization.signIn`). */
export const signInSchema = z.strictObject({
  keys: z
    .array(secret)
    .min(1)
    .optional()
    .describe(
      "The keys that encrypt upstream tokens in the store, each at least 32 random bytes in base64 or hexadecimal digits (`openssl rand -base64 32`). The first key encrypts, and all keys decrypt. To replace a key, put the new key before the old key, and remove the old key after `sessionSeconds`. Required if an upstream has `signIn`.",
    ),
  idleSeconds: seconds(60, 400 * DAY, 14 * DAY).describe("A session ends after this time without use."),
  sessionSeconds: seconds(60, 400 * DAY, 90 * DAY).describe(
    "A session ends this long after the sign-in, even if it is in use.",
  ),
  consentSeconds: seconds(0, 400 * DAY, 30 * DAY).describe(
    "How long a person's consent to a client and its scopes is remembered. During this time, the person is not asked again. Self-registered clients that run on the person's own machine need consent every time. With 0, all clients need consent every time.",
  ),
});

/** The parsed setting `upstreams.NAME.signIn`. */
export type UpstreamSignIn = z.infer<typeof upstreamSignIn>;

function isEndpoint(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "" || address.includes("#")) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
