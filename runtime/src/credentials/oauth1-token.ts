import type { Secret } from "../text/secret.ts";
import { authorizationHeader, type Parameter } from "./oauth1.ts";

/** The signer of an OAuth 1.0a request. Without a token, only the application signs. */
export interface OAuth1Signer {
  readonly consumerKey: Secret;
  readonly consumerSecret: Secret;
  readonly token?: Secret | undefined;
  readonly tokenSecret?: Secret | undefined;
}

/**
 * A request without a body to sign, for obtaining a token (RFC 5849 section 2) or for a call with a token.
 */
export interface OAuth1Request {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** Additional protocol parameters: `oauth_callback`, `oauth_verifier`. */
  readonly parameters?: readonly Parameter[] | undefined;
}

/** The time and the nonce, which make each request unique. */
export interface OAuth1Moment {
  /** The time in milliseconds since 1970. */
  readonly now: number;
  /** A random string that is never repeated. */
  readonly nonce: string;
}

/** Returns the `Authorization` header of a signed request (RFC 5849 section 3.5.1). */
export function signOAuth1(
  { method, url, parameters = [] }: OAuth1Request,
  { consumerKey, consumerSecret, token, tokenSecret }: OAuth1Signer,
  { now, nonce }: OAuth1Moment,
): string {
  const protocol: Parameter[] = [
    ["oauth_consumer_key", consumerKey.reveal()],
    ...(token === undefined ? [] : [["oauth_token", token.reveal()] as const]),
    ["oauth_timestamp", String(Math.floor(now / 1000))],
    ["oauth_nonce", nonce],
    ["oauth_version", "1.0"],
    ...parameters,
  ];
  return authorizationHeader(
    { verb: method, origin: url.origin, path: url.pathname, queryString: url.search.slice(1) },
    protocol,
    { consumerSecret: consumerSecret.reveal(), tokenSecret: tokenSecret?.reveal() ?? "" },
  );
}

/** A token and its secret in the response of a server. */
export interface OAuth1TokenText {
  readonly token: string;
  readonly tokenSecret: string;
}

const MAX_TOKEN = 16_384;

/**
 * Reads a response with temporary credentials or token credentials (RFC 5849 sections 2.1 and 2.3).
 *
 * @returns `none` if there is no token, or if no header can carry the token; `unconfirmed` if the server
 *   states that it did not accept the callback. Many servers omit this statement.
 */
export function readOAuth1Token(text: string): OAuth1TokenText | "none" | "unconfirmed" {
  const form = new URLSearchParams(text.trim());
  const [token, tokenSecret] = [form.get("oauth_token"), form.get("oauth_token_secret")];
  if (token === null || tokenSecret === null || !isSendable(token) || tokenSecret.length > MAX_TOKEN) {
    return "none";
  }
  return form.get("oauth_callback_confirmed") === "false" ? "unconfirmed" : { token, tokenSecret };
}

function isSendable(token: string): boolean {
  return token.length <= MAX_TOKEN && /^[\x20-\x7e]+$/.test(token);
}
