import type { Secret } from "../text/secret.ts";
import type { Tokens } from "../token-endpoint/tokens.ts";

/**
 * A grant for access tokens from a token endpoint (RFC 6749). A token is used until shortly before it
 * expires, and all waiting calls share one request for a new token. The grant uses a refresh token if there
 * is one (section 6), and otherwise the client's own credentials (client credentials, section 4.4).
 */
export interface OAuth2Grant {
  /** The address of the token endpoint: https, or http on localhost. */
  readonly tokenUrl: string;
  readonly clientId: string | Secret;
  /** The secret of the client. Default: none, for a public client with a refresh token. */
  readonly clientSecret?: string | Secret | undefined;
  /** Where the client's ID and secret are sent: as HTTP Basic, or in the body. Default: `basic`. */
  readonly clientAuthentication?: "basic" | "body" | undefined;
  /** The requested scopes, separated by spaces. Default: the default scopes of the server. */
  readonly scope?: string | undefined;
  /** Additional parameters of the token request, e.g. `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /**
   * The refresh token of a user. If the server rotates it, the new refresh token is used until the process
   * ends.
   */
  readonly refreshToken?: string | Secret | undefined;
  /**
   * Stores the tokens of a user, so that a rotated refresh token survives the process. Default: tokens are
   * not stored.
   */
  readonly store?: TokenStore | undefined;
}

/** Stores tokens where other processes can find them. */
export interface TokenStore {
  /** Identifies the store, e.g. the path of a file. */
  readonly name: string;
  /**
   * Replaces the stored tokens. Only one refresh runs at a time across all processes. `refresh` receives the
   * tokens that are stored when it is called, or undefined. If `refresh` fails, the stored tokens remain
   * unchanged.
   */
  update(refresh: (kept: Tokens | undefined) => Promise<Tokens>): Promise<Tokens>;
}
