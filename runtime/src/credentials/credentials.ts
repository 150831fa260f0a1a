import type { DescMethod } from "@bufbuild/protobuf";
import type { CredentialKind } from "../adapter/rules.ts";
import type { Secret } from "../text/secret.ts";
import type { OAuth2Grant } from "./oauth2-grant.ts";

/** OAuth 1.0a credentials (RFC 5849 section 1.1): those of the client, and a token where a user is meant. */
export interface OAuth1Credentials {
  readonly consumerKey: string | Secret;
  readonly consumerSecret: string | Secret;
  readonly token?: string | Secret | undefined;
  /** Default: empty. */
  readonly tokenSecret?: string | Secret | undefined;
}

/** A user and a password (HTTP Basic, RFC 7617). Upstreams that take a token have it in place of either. */
export interface BasicCredentials {
  /** Without a colon; UTF-8. */
  readonly username: string | Secret;
  /** Default: empty. */
  readonly password?: string | Secret | undefined;
}

/** An OAuth 2 bearer token (RFC 6750). */
export interface OAuth2Credentials {
  readonly accessToken: string | Secret;
  /**
   * Whom the token stands for, where tokens change: rate limits that are known are counted by it. Default:
   * the token.
   */
  readonly identity?: string | undefined;
}

/** What a call can carry to prove who it is. Methods take the first kind of their list that is here. */
export interface Credentials {
  readonly apiKey?: string | Secret | undefined;
  readonly oauth1?: OAuth1Credentials | undefined;
  /** An OAuth 2 bearer token (RFC 6750). */
  readonly oauth2?: OAuth2Credentials | undefined;
  readonly basic?: BasicCredentials | undefined;
  /**
   * Names whose credentials these are, e.g. by the key of the caller's session, where a function provides
   * them: who has the same name shares the feeds that are watched, also after a token was refreshed. It is no
   * secret, and nobody can choose that of others. Default: who brings the same credentials has the same name.
   */
  readonly owner?: string | undefined;
  /**
   * Called when the upstream rejects a token of these (401). Resolves with other credentials, with which the
   * request is sent once more; `undefined` where there are none. When the upstream rejects those too, their
   * own `rejected` is called, and the request sent a third time, but not a fourth. Only credentials that a
   * function provides are asked. A ConnectError that it rejects with is what the caller gets, in place of the
   * upstream's: that the session has ended, or that no other credentials can be had now.
   * A client stream is not sent again: it fails with UNAVAILABLE, reason UPSTREAM_TOKEN_REPLACED.
   */
  readonly rejected?: (() => Promise<Credentials | undefined>) | undefined;
}

/** What a function that provides credentials gets to know about the call. */
export interface CredentialsContext {
  /** The RPC method. */
  readonly method: DescMethod;
  /** The headers of the RPC. */
  readonly header: Headers;
}

/**
 * Provides the credentials of one call, e.g. from its headers or the caller's session. These count as the
 * caller's own: when the upstream rejects them the caller gets UNAUTHENTICATED. It may throw a ConnectError,
 * which the caller gets; anything else becomes INTERNAL, reason UPSTREAM_CREDENTIALS_FAILED. One that refreshes
 * tokens should name the `owner`, or streams that watch feeds end when it does.
 */
export type CredentialsFunction = (
  context: CredentialsContext,
) => FixedCredentials | Promise<FixedCredentials>;

/** Credentials as they are configured: an OAuth 2 token is fixed, or fetched. */
export type FixedCredentials = Omit<Credentials, "oauth2"> & {
  readonly oauth2?: OAuth2Credentials | OAuth2Grant | undefined;
};

/** Fixed credentials of an upstream, or a function that provides them call by call. */
export type CredentialsSource = FixedCredentials | CredentialsFunction;

/** The kinds of credentials that are there. `none` always is, and is not listed. */
export function kindsOf(credentials: Credentials): CredentialKind[] {
  const kinds: CredentialKind[] = [];
  if (credentials.apiKey !== undefined) kinds.push("api_key");
  if (credentials.oauth1 !== undefined) kinds.push("oauth1_client");
  if (credentials.oauth1?.token !== undefined) kinds.push("oauth1");
  if (credentials.oauth2 !== undefined) kinds.push("oauth2");
  if (credentials.basic !== undefined) kinds.push("basic");
  return kinds;
}
