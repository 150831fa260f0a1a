import { isRedirectUri, REDIRECT_URI_EXPECTED } from "connect-rest-runtime/internal";
import { z } from "zod";
import { isLoopback } from "../listener/hosts.ts";
import { signInSchema } from "./authorization-sign-in.ts";
import { DAY, flag, isOrigin, optionalSecret, optionalText, seconds, text } from "./schema-parts.ts";

/** A scope as in RFC 6749 section 3.3, without characters that would break a list. */
const SCOPE_PATTERN = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/;

/** A pattern for methods: `package.Service/Method`, `package.Service`, `package.*` or `*`. */
const METHOD_PATTERN = /^(?:\*|[A-Za-z_][\w.]*(?:\.\*|\/[A-Za-z_]\w*)?)$/;

/** A client ID as in RFC 6749 appendix A.1, without characters that may need escapes. */
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
      "The methods that a token with this scope may call: `package.Service/Method`, `package.Service`, `package.*`, or `*` for all methods except those of `server.explain`. If several scopes list a method, one of these scopes suffices.",
    ),
  description: optionalText.describe(
    "The scope's description on the consent page. Default: the name of the scope.",
  ),
});

const redirectUri = z.string().refine(isRedirectUri, {
  error: `expected an address: ${REDIRECT_URI_EXPECTED} (RFC 8252)`,
});

const client = z.strictObject({
  name: optionalText.describe("The client's name on the consent page. Default: the client ID."),
  secret: optionalSecret.describe(
    "The client secret, for `client_secret_basic` and `client_secret_post`. The secret needs at least 32 characters.",
  ),
  jwks: optionalText.describe(
    "A file with the client's public keys (a JSON Web Key Set), relative to this file, for `private_key_jwt` (RFC 7523). A client with neither `jwks` nor `secret` is public, e.g. a command-line tool.",
  ),
  redirectUris: z
    .array(redirectUri)
    .default([])
    .describe(
      "The URIs to which authorization codes may be sent. Redirect URIs are compared literally, except for the ports of `localhost`, `127.0.0.1` and `[::1]`.",
    ),
  grants: grants.describe(
    "The grant types of the client: `authorization_code` and `refresh_token` for a client that acts for a person, `client_credentials` for a client that acts for itself.",
  ),
  scopes: z.array(scopeName).optional().describe("The scopes that the client may have. Default: all scopes."),
});

const REGISTRATION_MODES = ["open", "token", "closed"] as const;

const registration = z.strictObject({
  mode: z
    .enum(REGISTRATION_MODES)
    .default("open")
    .describe(
      "Which clients may register themselves (RFC 7591). `open`: any client. `token`: clients that present the initial access token. `closed`: no client; all clients are configured.",
    ),
  initialAccessToken: optionalSecret.describe(
    "The token that clients must present if `mode` is `token`. The token needs at least 32 characters.",
  ),
  redirectHosts: z
    .array(text.regex(/^(?:\*\.)?[A-Za-z0-9.-]+$|^\[::1\]$/, { error: "expected a host, or *.example.com" }))
    .optional()
    .describe(
      "The hosts that self-registered clients may use in redirect URIs: `app.example.com`, `*.example.com`, `localhost`. Default: all hosts.",
    ),
  grants: grants.describe(
    "The grant types that self-registered clients may use. With `client_credentials`, anyone who may register may also call methods.",
  ),
  scopes: z
    .array(scopeName)
    .optional()
    .describe("The scopes that self-registered clients may have. Default: all scopes."),
});

const lifetimes = z.strictObject({
  accessTokenSeconds: seconds(1, DAY, 3600).describe("How long an access token is valid."),
  refreshTokenSeconds: seconds(1, 400 * DAY, 30 * DAY).describe(
    "How long a refresh token is valid. Each refresh issues a new refresh token.",
  ),
  grantSeconds: seconds(1, 400 * DAY, 90 * DAY).describe(
    "How long a person's grant to a client is valid, regardless of refreshes. After that time, the client must ask again.",
  ),
  clientSeconds: seconds(1, 400 * DAY, 90 * DAY).describe(
    "How long a self-registered client is kept after its last grant. A client that never gets a grant is deleted after a day.",
  ),
});

const open = z.strictObject({
  health: flag(true).describe(
    "Whether `grpc.health.v1.Health` can be called without a token. `/healthz` and `/readyz` never need a token.",
  ),
  reflection: flag(false).describe(
    "Whether gRPC reflection can be used without a token, and whether errors for unknown paths name the known methods.",
  ),
});

const store = z
  .strictObject({
    file: optionalText.describe(
      "The SQLite file of the store, relative to this file, for a gateway on one machine. Default: `authorization.sqlite`.",
    ),
    postgres: optionalSecret.describe(
      "The URL of a PostgreSQL database in place of a file, for several replicas: `postgres://user:password@host/database?sslmode=verify-full`.",
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
      "The origin under which callers reach the gateway. This origin is the issuer and the audience of tokens, and the prefix of every URL in the metadata. The gateway never derives the origin from a request.",
    ),
  store: store.prefault({}).describe("The store for clients, grants and tokens."),
  scopes: z
    .record(scopeName, scope)
    .default({})
    .describe(
      "The scopes that tokens may have. A method that is not listed under any scope requires the scopes of its annotation (`scopes`). Without the annotation, any valid token suffices.",
    ),
  clients: z
    .record(z.string().regex(CLIENT_ID_PATTERN, { error: "expected letters, digits and ._~-" }), client)
    .default({})
    .describe("Configured clients, by client ID. Configured clients do not need to register."),
  registration: registration.prefault({}).describe("Whether clients may register themselves (RFC 7591)."),
  lifetimes: lifetimes.prefault({}).describe("How long tokens, grants and registrations are valid."),
  open: open.prefault({}).describe("The endpoints that callers may use without a token."),
  signIn: signInSchema.prefault({}).describe("Settings for all upstreams with `signIn`."),
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
