import type { JsonValue } from "connect-rest-codec/internal";

/**
 * The content of a part of a multipart body. JSON is `application/json` unless the part states another type.
 */
export type PartContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "json"; readonly value: JsonValue };

/** A part of a `multipart/form-data` body (RFC 7578 section 4). */
export interface BodyPart {
  readonly name: string;
  readonly filename?: string | undefined;
  /** Default: none for text, `application/json` for JSON, `application/octet-stream` for bytes. */
  readonly contentType?: string | undefined;
  readonly content: PartContent;
}

/** The body of a REST request before it is serialised. */
export type RestBody =
  | { readonly kind: "json"; readonly value: JsonValue }
  /** `application/x-www-form-urlencoded`, already encoded; OAuth 1.0a signs its parameters. */
  | { readonly kind: "form"; readonly text: string }
  | { readonly kind: "bytes"; readonly contentType: string; readonly bytes: Uint8Array }
  /** `multipart/form-data` (RFC 7578), the parts in this order. OAuth 1.0a does not sign it. */
  | { readonly kind: "multipart"; readonly parts: readonly BodyPart[] };

/** One REST call, expanded and encoded, before credentials. */
export interface RestRequest {
  /** The HTTP method, in upper case. */
  readonly verb: string;
  /** Absolute path, expanded and percent-encoded, without query. */
  readonly path: string;
  /** Encoded query without `?`; empty when there is none. */
  readonly queryString: string;
  /** Header names in lower case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /**
   * Protocol parameters of OAuth 1.0a (RFC 5849 section 3.5.1) that come from the request message, e.g.
   * `oauth_callback`, not encoded. `oauth_token` and `oauth_token_secret` replace the credentials' token and
   * secret.
   */
  readonly oauth1Params: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: RestBody | undefined;
}
