import { type Credentials, Secret } from "connect-rest-runtime";
import { z } from "zod";

/** The tokens that an upstream has issued for a person. The gateway sends them only to that upstream. */
export type UpstreamTokens = OAuth2Tokens | OAuth1Tokens;

export interface OAuth2Tokens {
  readonly kind: "oauth2";
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** The expiry, in milliseconds since the epoch. Undefined if the upstream does not state it. */
  readonly expiresAt?: number | undefined;
}

export interface OAuth1Tokens {
  readonly kind: "oauth1";
  readonly token: string;
  readonly tokenSecret: string;
}

const tokensSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("oauth2"),
    accessToken: z.string(),
    refreshToken: z.string().optional(),
    expiresAt: z.number().optional(),
  }),
  z.object({ kind: z.literal("oauth1"), token: z.string(), tokenSecret: z.string() }),
]);

/** Serializes tokens for sealing. */
export function writeTokens(tokens: UpstreamTokens): string {
  return JSON.stringify(tokens);
}

/** Parses the output of `writeTokens`. */
export function readTokens(text: string): UpstreamTokens {
  return tokensSchema.parse(JSON.parse(text));
}

/** The consumer to which OAuth 1.0a tokens were issued. It signs requests with the tokens. */
export interface Consumer {
  readonly consumerKey: Secret;
  readonly consumerSecret: Secret;
}

/** Converts tokens to request credentials. */
export function credentialsOf(tokens: UpstreamTokens, consumer: Consumer | undefined): Credentials {
  if (tokens.kind === "oauth2") return { oauth2: { accessToken: new Secret(tokens.accessToken) } };
  // after a change of settings from OAuth 1.0a to OAuth 2, old sessions can no longer be used
  if (consumer === undefined) return {};
  const { token, tokenSecret } = tokens;
  return { oauth1: { ...consumer, token: new Secret(token), tokenSecret: new Secret(tokenSecret) } };
}
