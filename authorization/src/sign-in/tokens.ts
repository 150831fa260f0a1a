import { type Credentials, Secret } from "connect-rest-runtime";
import { z } from "zod";

/** What a third party has issued for a person. It never leaves the gateway but towards that third party. */
export type UpstreamTokens = OAuth2Tokens | OAuth1Tokens;

export interface OAuth2Tokens {
  readonly kind: "oauth2";
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** In milliseconds since the epoch. Undefined where the third party does not say. */
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

/** Tokens as text, to be sealed. */
export function writeTokens(tokens: UpstreamTokens): string {
  return JSON.stringify(tokens);
}

/** Reads what `writeTokens` has written. */
export function readTokens(text: string): UpstreamTokens {
  return tokensSchema.parse(JSON.parse(text));
}

/** The consumer that OAuth 1.0a tokens were issued to, with which they are signed. */
export interface Consumer {
  readonly consumerKey: Secret;
  readonly consumerSecret: Secret;
}

/** Tokens as credentials of requests. */
export function credentialsOf(tokens: UpstreamTokens, consumer: Consumer | undefined): Credentials {
  if (tokens.kind === "oauth2") return { oauth2: { accessToken: new Secret(tokens.accessToken) } };
  // settings that have changed from OAuth 1.0a to 2 leave sessions that can no longer be used
  if (consumer === undefined) return {};
  const { token, tokenSecret } = tokens;
  return { oauth1: { ...consumer, token: new Secret(token), tokenSecret: new Secret(tokenSecret) } };
}
