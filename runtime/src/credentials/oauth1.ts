import { createHmac } from "node:crypto";
import { percentEncode } from "../text/percent-encode.ts";

/** A decoded parameter, as OAuth 1.0a signs it. */
export type Parameter = readonly [name: string, value: string];

/** The parts of a request that are signed. */
export interface SignableRequest {
  /** The HTTP method. */
  readonly verb: string;
  /**
   * The scheme and host, and the port unless it is the default port, in lower case:
   * `https://api.example.com`.
   */
  readonly origin: string;
  /** The path exactly as it is sent. */
  readonly path: string;
  /** The encoded query as it is sent, without `?`. */
  readonly queryString: string;
  /** The body, if it is `application/x-www-form-urlencoded`. Other bodies are not signed. */
  readonly form?: string | undefined;
}

/** The keys of a signature. `tokenSecret` is empty if there is no token. */
export interface SigningKey {
  readonly consumerSecret: string;
  readonly tokenSecret: string;
}

/**
 * Returns the signature base string (RFC 5849 section 3.4.1). `oauth` contains the protocol parameters
 * without the signature.
 */
export function signatureBaseString(request: SignableRequest, oauth: readonly Parameter[]): string {
  const parameters = [...decodeForm(request.queryString), ...decodeForm(request.form ?? ""), ...oauth];
  const base = percentEncode(request.origin + request.path);
  return `${request.verb.toUpperCase()}&${base}&${percentEncode(normalize(parameters))}`;
}

/** Returns the HMAC-SHA1 signature of a base string, in base64 (RFC 5849 section 3.4.2). */
export function hmacSha1(baseString: string, key: SigningKey): string {
  const secret = `${percentEncode(key.consumerSecret)}&${percentEncode(key.tokenSecret)}`;
  return createHmac("sha1", secret).update(baseString).digest("base64");
}

/**
 * Returns the `Authorization` header with the signature of a request (RFC 5849 section 3.5.1).
 *
 * @param oauth the protocol parameters, not encoded, without `oauth_signature_method` and `oauth_signature`
 */
export function authorizationHeader(
  request: SignableRequest,
  oauth: readonly Parameter[],
  key: SigningKey,
): string {
  const parameters: Parameter[] = [...oauth, ["oauth_signature_method", "HMAC-SHA1"]];
  const signature = hmacSha1(signatureBaseString(request, parameters), key);
  const items: Parameter[] = [...parameters, ["oauth_signature", signature]];
  return `OAuth ${items.map(([name, value]) => `${percentEncode(name)}="${percentEncode(value)}"`).join(", ")}`;
}

/**
 * Normalizes parameters (RFC 5849 section 3.4.1.3.2): encodes them, then sorts them by name and by value, in
 * byte order.
 */
function normalize(parameters: readonly Parameter[]): string {
  return parameters
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Decodes a form (RFC 5849 section 3.4.1.3.1): `+` is a space, a name without `=` has an empty value, and
 * duplicates are kept.
 */
function decodeForm(text: string): Parameter[] {
  return text === "" ? [] : [...new URLSearchParams(`&${text}`)];
}
