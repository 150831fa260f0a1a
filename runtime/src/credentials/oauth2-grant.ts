import type { Secret } from "../text/secret.ts";
import type { Tokens } from "../token-endpoint/tokens.ts";

/**
 * A grant for access tokens from a token endpoint (RFC 6749). A token is kept until shortly before it
 * expires, and fetched once for all waiting calls: with a refresh token if there is one (section 6), else for
 * the client itself (client credentials, section 4.4).
 */
export interface OAuth2Grant {
  /** The token endpoint: https, or http on localhost. */
  readonly tokenUrl: string;
  readonly clientId: string | Secret;
  /** Default: none, for a public client with a refresh token. */
  readonly clientSecret?: string | Secret | undefined;
  /** The place of the client's ID and secret: HTTP Basic, or the body. Default: `basic`. */
  readonly clientAuthentication?: "basic" | "body" | undefined;
  /** The requested scopes, separated by spaces. Default: the server's default scopes. */
  readonly scope?: string | undefined;
  /** Additional parameters of the request, e.g. `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** The refresh token of a user. If the server rotates it, the new one is used until the process ends. */
  readonly refreshToken?: string | Secret | undefined;
  /** Stores the tokens of a user, so that a rotated refresh token is not lost. Default: none. */
  readonly store?: TokenStore | undefined;
}

/** Stores tokens where other processes can find them. */
export interface TokenStore {
  /** Identifies the store, e.g. the path of a file. */
  readonly name: string;
  /**
   * Replaces the stored tokens. Only one refresh runs at a time across all processes; it receives the tokens
   * that are stored at that time, or undefined. An error in it leaves the stored tokens unchanged.
   */
  update(refresh: (kept: Tokens | undefined) => Promise<Tokens>): Promise<Tokens>;
}
