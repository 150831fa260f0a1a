import type { DescMethod } from "@bufbuild/protobuf";
import type { CredentialKind } from "../adapter/rules.ts";
import type { Secret } from "../text/secret.ts";
import type { OAuth2Grant } from "./oauth2-grant.ts";

/**
 * OAuth 1.0a credentials (RFC 5849 section 1.1): the client's key and secret, and a token for requests on
 * behalf of a user.
 */
export interface OAuth1Credentials {
  readonly consumerKey: string | Secret;
  readonly consumerSecret: string | Secret;
  readonly token?: string | Secret | undefined;
  /** Default: empty. */
  readonly tokenSecret?: string | Secret | undefined;
}

/**
 * A user name and a password (HTTP Basic, RFC 7617). Some upstreams expect a token in place of the user name
 * or the password.
 */
export interface BasicCredentials {
  /** The user name in UTF-8, without a colon. */
  readonly username: string | Secret;
  /** Default: empty. */
  readonly password?: string | Secret | undefined;
}

/** An OAuth 2 bearer token (RFC 6750). */
export interface OAuth2Credentials {
  readonly accessToken: string | Secret;
  /**
   * Identifies the owner of a token that changes. Known rate limits are counted per identity. Default: the
   * token.
   */
  readonly identity?: string | undefined;
}

/** The credentials for a call. A method uses the first kind in its list that is available. */
export interface Credentials {
  readonly apiKey?: string | Secret | undefined;
  readonly oauth1?: OAuth1Credentials | undefined;
  /** An OAuth 2 bearer token (RFC 6750). */
  readonly oauth2?: OAuth2Credentials | undefined;
  readonly basic?: BasicCredentials | undefined;
  /**
   * Names the owner of credentials that a function provides, e.g. by the key of the caller's session. Callers
   * with the same owner share watched feeds, even after a token has been refreshed. The name is not a secret,
   * but callers must not be able to choose another caller's name. Default: callers with the same credentials
   * have the same owner.
   */
  readonly owner?: string | undefined;
  /**
   * Called when the upstream rejects one of these tokens (401). Resolves to other credentials, with which the
   * request is retried once, or to `undefined` if there are no other credentials. If the upstream rejects the
   * other credentials too, their `rejected` is called, and the request is sent a third and last time. Applies
   * only to credentials from a function. If `rejected` rejects with a ConnectError, the caller gets that
   * error in place of the upstream's error, e.g. because the session has ended, or because no other
   * credentials are available now. A client stream is not retried: it fails with UNAVAILABLE, reason
   * UPSTREAM_TOKEN_REPLACED.
   */
  readonly rejected?: (() => Promise<Credentials | undefined>) | undefined;
}

/** The description of a call for a credentials function. */
export interface CredentialsContext {
  /** The RPC method. */
  readonly method: DescMethod;
  /** The headers of the RPC. */
  readonly header: Headers;
}

/**
 * Provides the credentials of one call, e.g. from its headers or the caller's session. The credentials count
 * as the caller's own: if the upstream rejects them, the caller gets UNAUTHENTICATED. If the function throws
 * a ConnectError, the caller receives it; any other error becomes INTERNAL, reason
 * UPSTREAM_CREDENTIALS_FAILED. A function that refreshes tokens should set the `owner`; otherwise streams
 * that watch feeds end at each refresh.
 */
export type CredentialsFunction = (
  context: CredentialsContext,
) => FixedCredentials | Promise<FixedCredentials>;

/** Configured credentials. The OAuth 2 token is fixed, or fetched by a grant. */
export type FixedCredentials = Omit<Credentials, "oauth2"> & {
  readonly oauth2?: OAuth2Credentials | OAuth2Grant | undefined;
};

/** The fixed credentials of an upstream, or a function that provides the credentials of each call. */
export type CredentialsSource = FixedCredentials | CredentialsFunction;

/** Returns the available kinds of credentials, except `none`, which is always available. */
export function kindsOf(credentials: Credentials): CredentialKind[] {
  const kinds: CredentialKind[] = [];
  if (credentials.apiKey !== undefined) kinds.push("api_key");
  if (credentials.oauth1 !== undefined) kinds.push("oauth1_client");
  if (credentials.oauth1?.token !== undefined) kinds.push("oauth1");
  if (credentials.oauth2 !== undefined) kinds.push("oauth2");
  if (credentials.basic !== undefined) kinds.push("basic");
  return kinds;
}
