import type { Secret } from "../text/secret.ts";
import type { Tokens } from "../token-endpoint/tokens.ts";

/**
 * Access tokens that are fetched from a token endpoint, kept until shortly before they expire, and fetched
 * once for all calls that wait (RFC 6749): with a refresh token where there is one (section 6), else for the
 * client itself (client credentials, section 4.4).
 */
export interface OAuth2Grant {
  /** The token endpoint: https, or http on this machine. */
  readonly tokenUrl: string;
  readonly clientId: string | Secret;
  /** Default: none, for a public client with a refresh token. */
  readonly clientSecret?: string | Secret | undefined;
  /** Where the client's ID and secret are sent: as HTTP Basic, or in the body. Default: `basic`. */
  readonly clientAuthentication?: "basic" | "body" | undefined;
  /** The scopes to ask for, separated by spaces. Default: those that the server gives by itself. */
  readonly scope?: string | undefined;
  /** Further parameters of the request, e.g. `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Stands for a person. What the server gives in its place is used from then on, until the process ends. */
  readonly refreshToken?: string | Secret | undefined;
  /**
   * Keeps the tokens of a person, so that a refresh token that the server replaces is not lost. Default:
   * none.
   */
  readonly store?: TokenStore | undefined;
}

/** Keeps tokens where other processes find them. */
export interface TokenStore {
  /** Tells stores apart, e.g. the path of a file. */
  readonly name: string;
  /**
   * Replaces the tokens that are kept. Only one refresh runs at a time, whichever process it is in; what it
   * gets are the tokens as they are then, undefined for none. Whatever it throws leaves them as they are.
   */
  update(refresh: (kept: Tokens | undefined) => Promise<Tokens>): Promise<Tokens>;
}
