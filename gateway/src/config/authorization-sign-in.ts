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
  .describe("Further parameters of the authorization request, e.g. `{ prompt: login }`.");

const oauth2 = z.strictObject({
  authorizationEndpoint: endpoint.describe("Where people are sent to sign in."),
  tokenEndpoint: endpoint.describe("Where codes and refresh tokens are exchanged."),
  revocationEndpoint: optionalEndpoint.describe(
    "Where tokens are revoked (RFC 7009) when a session ends. Default: they are only forgotten.",
  ),
  issuer: optionalEndpoint.describe(
    "The issuer that authorization responses name as `iss` (RFC 9207). Without it, responses that name one are rejected.",
  ),
  requireIssuer: flag(false).describe("Reject authorization responses without `iss`."),
  clientId: text.describe("The id under which the gateway is registered there."),
  clientSecret: optionalSecret.describe("The secret of that client. Default: none; a public client."),
  clientAuthentication: z
    .enum(["client_secret_basic", "client_secret_post"])
    .default("client_secret_basic")
    .describe("How the secret is sent: in the `Authorization` header, or in the body."),
  scopes: z
    .array(text.regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, { error: "expected the name of a scope" }))
    .default([])
    .describe("The scopes to ask for."),
  pkce: flag(true).describe(
    "Send a code challenge (PKCE, RFC 7636). `false` for servers that reject what they do not know.",
  ),
  parameters,
});

const oauth1 = z.strictObject({
  requestTokenEndpoint: endpoint.describe("Where temporary credentials are issued."),
  authorizationEndpoint: endpoint.describe("Where people are sent to sign in."),
  accessTokenEndpoint: endpoint.describe("Where temporary credentials are exchanged for a token."),
  accessTokenMethod: z
    .enum(["POST", "GET"])
    .default("POST")
    .describe("The verb of that exchange. RFC 5849 has POST."),
  consumerKey: secret.describe("The consumer key of the gateway."),
  consumerSecret: secret.describe("The consumer secret."),
  parameters,
});

const METHOD_NAME = /^[A-Za-z_][\w.]*\/[A-Za-z_]\w*$/;

const probe = {
  method: text
    .regex(METHOD_NAME, { error: "expected package.Service/Method" })
    .optional()
    .describe("A unary method of this upstream, `package.Service/Method`, called with the person's tokens."),
  request: z.json().optional().describe("The request message of the method. Default: an empty one."),
  url: optionalEndpoint.describe(
    "In place of a method, an address with a JSON document, e.g. a UserInfo endpoint.",
  ),
};

const hasOneSource = (value: { readonly method?: string | undefined; readonly url?: string | undefined }) =>
  (value.method === undefined) !== (value.url === undefined);
const ONE_SOURCE = { error: "name exactly one of method and url" };

const identity = z
  .strictObject({
    ...probe,
    field: text.describe(
      "Where the response has the stable name or id of the account: keys with dots, in ProtoJSON spelling for a method, e.g. `user.name`.",
    ),
  })
  .refine(hasOneSource, ONE_SOURCE);

const check = z
  .strictObject({
    ...probe,
    everySeconds: seconds(10, DAY, 300).describe(
      "How long its word counts: while a session is used, it is asked at most this often.",
    ),
  })
  .refine(hasOneSource, ONE_SOURCE);

/** The sign-in settings of one upstream (`upstreams.NAME.signIn`). */
export const upstreamSignIn = z
  .strictObject({
    title: text.max(60).optional().describe("What people know it by. Default: the name of the upstream."),
    oauth2: oauth2.optional().describe("Sign in by OAuth 2 (RFC 6749, authorization code)."),
    oauth1: oauth1.optional().describe("Sign in by OAuth 1.0a (RFC 5849)."),
    identity: identity.describe("What tells who has signed in."),
    check: check
      .optional()
      .describe(
        "A cheap call that tells whether a session still stands. Default: only expiries and rejections tell.",
      ),
    required: flag(true).describe(
      "Whether nobody gets in without signing in here. `false` lets people decline.",
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
      "The keys that the tokens of upstreams are encrypted with in the store, each at least 32 random bytes in base64 or hexadecimal digits (`openssl rand -base64 32`). The first one encrypts, all decrypt: to replace a key, put the new one before it, and drop the old one after `sessionSeconds`. Needed where an upstream has `signIn`.",
    ),
  idleSeconds: seconds(60, 400 * DAY, 14 * DAY).describe("A session ends when it is not used for this long."),
  sessionSeconds: seconds(60, 400 * DAY, 90 * DAY).describe(
    "A session ends this long after the sign-in, however much it is used.",
  ),
  consentSeconds: seconds(0, 400 * DAY, 30 * DAY).describe(
    "How long a person's consent to a client is remembered, so that the same client with the same scopes is not asked about again. Clients that registered themselves and run on the person's own machine are always asked about. 0 asks every time.",
  ),
});

/** The setting `upstreams.NAME.signIn` as parsed. */
export type UpstreamSignIn = z.infer<typeof upstreamSignIn>;

function isEndpoint(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "" || address.includes("#")) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
