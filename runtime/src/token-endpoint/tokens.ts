import type { Secret } from "../text/secret.ts";

/** The tokens in the response of a token endpoint (RFC 6749 section 5.1). */
export interface Tokens {
  readonly accessToken: Secret;
  /** The expiry in milliseconds since 1970. Undefined if the server does not state the expiry. */
  readonly expiresAt: number | undefined;
  /** The refresh token. Undefined if the response contains none. */
  readonly refreshToken: Secret | undefined;
  /** The granted scope. Undefined if it equals the requested scope. */
  readonly scope: string | undefined;
}

/** How a client authenticates at the endpoints of an authorization server (RFC 6749 section 2.3). */
export type ClientAuthMethod = "none" | "client_secret_basic" | "client_secret_post";

/** A client of an authorization server. */
export interface TokenClient {
  readonly id: string;
  /** The secret of the client. Undefined for a public client. */
  readonly secret: Secret | undefined;
  readonly method: ClientAuthMethod;
}

/** A grant for which tokens are requested. */
export interface Grant {
  readonly type: "authorization_code" | "refresh_token" | "client_credentials";
  /** The parameters other than `grant_type` and the client's authentication. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** A request to an endpoint of an authorization server. */
export interface EndpointRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The response of an endpoint. Redirects are returned like other responses. */
export interface EndpointResponse {
  readonly status: number;
  /** Returns a header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
}

/** Sends a request, within size and time limits. Rejects if there is no response. */
export type Send = (request: EndpointRequest) => Promise<EndpointResponse>;

/** The maximum size of an endpoint's response, in bytes. */
export const MAX_ENDPOINT_BYTES = 256 * 1024;
