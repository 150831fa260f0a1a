import type { JsonValue } from "connect-rest-codec/internal";

/**
 * The content of a part of a multipart body. JSON is sent as `application/json` unless the part states
 * another type.
 */
export type PartContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "json"; readonly value: JsonValue };

/** A part of a `multipart/form-data` body (RFC 7578 section 4). */
export interface BodyPart {
  readonly name: string;
  readonly filename?: string | undefined;
  /** Default: no content type for text, `application/json` for JSON, `application/octet-stream` for bytes. */
  readonly contentType?: string | undefined;
  readonly content: PartContent;
}

/** The body of a REST request before serialization. */
export type RestBody =
  | { readonly kind: "json"; readonly value: JsonValue }
  /** An encoded `application/x-www-form-urlencoded` body. OAuth 1.0a signs its parameters. */
  | { readonly kind: "form"; readonly text: string }
  | { readonly kind: "bytes"; readonly contentType: string; readonly bytes: Uint8Array }
  /** A `multipart/form-data` body (RFC 7578) with the parts in this order. OAuth 1.0a does not sign it. */
  | { readonly kind: "multipart"; readonly parts: readonly BodyPart[] };

/** A REST call, expanded and encoded, without credentials. */
export interface RestRequest {
  /** The HTTP method, in upper case. */
  readonly verb: string;
  /** The absolute path, expanded and percent-encoded, without the query. */
  readonly path: string;
  /** The encoded query without `?`. Empty if there is no query. */
  readonly queryString: string;
  /** Header names in lower case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /**
   * OAuth 1.0a protocol parameters (RFC 5849 section 3.5.1) from the request message, not encoded, e.g.
   * `oauth_callback`. Values for `oauth_token` and `oauth_token_secret` replace the token and its secret in
   * the credentials.
   */
  readonly oauth1Params: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: RestBody | undefined;
}
