import { isRedirectUri, REDIRECT_URI_EXPECTED } from "connect-rest-runtime/internal";
import { z } from "zod";
import { isLoopback } from "../listener/hosts.ts";
import { signInSchema } from "./authorization-sign-in.ts";
import { DAY, flag, isOrigin, optionalSecret, optionalText, seconds, text } from "./schema-parts.ts";

/** A scope by RFC 6749 section 3.3, without characters that would break a list. */
const SCOPE_PATTERN = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/;

/** A pattern for methods: `package.Service/Method`, `package.Service`, `package.*` or `*`. */
const METHOD_PATTERN = /^(?:\*|[A-Za-z_][\w.]*(?:\.\*|\/[A-Za-z_]\w*)?)$/;

/** A client ID by RFC 6749 appendix A.1, without characters that may need escapes. */
const CLIENT_ID_PATTERN = /^[A-Za-z0-9._~-]{1,128}$/;

const grants = z
  .array(z.enum(["authorization_code", "refresh_token", "client_credentials"]))
  .min(1)
  .default(["authorization_code", "refresh_token"]);

const scopeName = z
  .string()
  .regex(SCOPE_PATTERN, { error: "expected the name of a scope: no spaces, quotes and backslashes" })
  .refine((name) => name !== "openid" && name !== "offline_access", {
    error: "openid and offline_access mean something else",
  });

const scope = z.strictObject({
  methods: z
    .array(
      z.string().regex(METHOD_PATTERN, {
        error: "expected package.Service/Method, package.Service, package.* or *",
      }),
    )
    .min(1)
    .describe(
      "The methods that a token of this scope may call: `package.Service/Method`, `package.Service`, `package.*`, or `*` for all. A method that several scopes name may be called with any of them.",
    ),
  description: optionalText.describe(
    "What a person reads when asked for consent. Default: the name of the scope.",
  ),
});

const redirectUri = z.string().refine(isRedirectUri, {
  error: `expected an address: ${REDIRECT_URI_EXPECTED} (RFC 8252)`,
});

const client = z.strictObject({
  name: optionalText.describe("What a person reads when asked for consent. Default: the id."),
  secret: optionalSecret.describe(
    "The client's secret, for `client_secret_basic` and `client_secret_post`; at least 32 characters.",
  ),
  jwks: optionalText.describe(
    "A file with the client's public keys (a JSON Web Key Set), relative to this file, for `private_key_jwt` (RFC 7523). Without it and without `secret` the client is public, e.g. a command line.",
  ),
  redirectUris: z
    .array(redirectUri)
    .default([])
    .describe(
      "Where codes may be sent: compared as texts, but for the port of `localhost`, `127.0.0.1` and `[::1]`.",
    ),
  grants: grants.describe(
    "`authorization_code` and `refresh_token` for a client that acts for a person, `client_credentials` for one that acts for itself.",
  ),
  scopes: z.array(scopeName).optional().describe("The scopes that it may have. Default: all."),
});

const REGISTRATION_MODES = ["open", "token", "closed"] as const;

const registration = z.strictObject({
  mode: z
    .enum(REGISTRATION_MODES)
    .default("open")
    .describe(
      "`open`: any client may register itself (RFC 7591). `token`: those that bring the initial access token. `closed`: none; clients are configured.",
    ),
  initialAccessToken: optionalSecret.describe(
    "The token that clients bring where `mode` is `token`; at least 32 characters.",
  ),
  redirectHosts: z
    .array(text.regex(/^(?:\*\.)?[A-Za-z0-9.-]+$|^\[::1\]$/, { error: "expected a host, or *.example.com" }))
    .optional()
    .describe(
      "The hosts that redirect URIs of clients that register themselves may have: `app.example.com`, `*.example.com`, `localhost`. Default: all.",
    ),
  grants: grants.describe(
    "What clients that register themselves may be granted. With `client_credentials`, whoever may register may call.",
  ),
  scopes: z
    .array(scopeName)
    .optional()
    .describe("The scopes that clients that register themselves may have. Default: all."),
});

const lifetimes = z.strictObject({
  accessTokenSeconds: seconds(1, DAY, 3600).describe("How long an access token is good for."),
  refreshTokenSeconds: seconds(1, 400 * DAY, 30 * DAY).describe(
    "How long a refresh token is good for; each refresh gives a new one.",
  ),
  grantSeconds: seconds(1, 400 * DAY, 90 * DAY).describe(
    "How long a person's consent is good for, however often the client refreshes. Then it asks again.",
  ),
  clientSeconds: seconds(1, 400 * DAY, 90 * DAY).describe(
    "How long a client that registered itself is kept after its last grant. One that never gets a grant is forgotten after a day.",
  ),
});

const open = z.strictObject({
  health: flag(true).describe("`grpc.health.v1.Health`. `/healthz` and `/readyz` are open in any case."),
  reflection: flag(false).describe("gRPC reflection, and the names in errors of unknown paths."),
  pages: flag(false).describe("The start page."),
});

const store = z
  .strictObject({
    file: optionalText.describe(
      "The file of the store, relative to this file; for one machine. Default: `authorization.sqlite`.",
    ),
    postgres: optionalSecret.describe(
      "A PostgreSQL database instead of a file, for several replicas: `postgres://user:password@host/database?sslmode=verify-full`.",
    ),
  })
  .refine(({ file, postgres }) => file === undefined || postgres === undefined, {
    error: "name one of file and postgres",
  });

/** The section `authorization` of the configuration. */
export const authorizationSchema = z.strictObject({
  publicUrl: z
    .string()
    .refine(isPublicUrl, {
      error:
        "expected the origin by which callers reach the gateway, e.g. https://gateway.example.com: https (http on loopback alone), without a path and a slash at the end",
    })
    .describe(
      "The origin by which callers reach the gateway: the issuer of tokens, their audience, and what every address in metadata begins with. Never taken from a request.",
    ),
  store: store.prefault({}).describe("Where clients, grants and tokens are kept."),
  scopes: z
    .record(scopeName, scope)
    .default({})
    .describe(
      "The scopes that tokens may have. A method that none of them names needs the scopes of its annotation (`scopes`), and where it has none, any valid token.",
    ),
  clients: z
    .record(z.string().regex(CLIENT_ID_PATTERN, { error: "expected letters, digits and ._~-" }), client)
    .default({})
    .describe("Clients that need not register, by their ids."),
  registration: registration.prefault({}).describe("Whether clients may register themselves (RFC 7591)."),
  lifetimes: lifetimes.prefault({}).describe("How long what is issued is good for."),
  open: open.prefault({}).describe("What may be read without a token."),
  signIn: signInSchema.prefault({}).describe("How people sign in, at all upstreams that have `signIn`."),
});

/** The section `authorization` as parsed, with its defaults. */
export type AuthorizationConfig = z.infer<typeof authorizationSchema>;

/** A configured client. */
export type ConfiguredClient = z.infer<typeof client>;

function isPublicUrl(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || !isOrigin(address)) return false;
  return url.protocol === "https:" || isLoopback(url.hostname);
}
