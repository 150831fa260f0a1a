import type { Secret } from "../text/secret.ts";

/** What a token endpoint gives (RFC 6749 section 5.1). */
export interface Tokens {
  readonly accessToken: Secret;
  /** When it ends, in milliseconds since 1970; undefined where the server does not say. */
  readonly expiresAt: number | undefined;
  /** undefined where there is none, or no new one. */
  readonly refreshToken: Secret | undefined;
  /** What was granted; undefined where that is what was asked for. */
  readonly scope: string | undefined;
}

/** How a client proves who it is to the endpoints of an authorization server (RFC 6749 section 2.3). */
export type ClientAuthMethod = "none" | "client_secret_basic" | "client_secret_post";

/** A client of an authorization server. */
export interface TokenClient {
  readonly id: string;
  /** undefined for a public client. */
  readonly secret: Secret | undefined;
  readonly method: ClientAuthMethod;
}

/** What is asked for. */
export interface Grant {
  readonly type: "authorization_code" | "refresh_token" | "client_credentials";
  /** Parameters beside `grant_type` and those of the client's authentication. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** A request to an endpoint of an authorization server. */
export interface EndpointRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Its response; redirects are responses like others. */
export interface EndpointResponse {
  readonly status: number;
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
}

/** Sends a request, within limits of size and time. What it throws means that there is no response. */
export type Send = (request: EndpointRequest) => Promise<EndpointResponse>;

/** The largest response that is read of an endpoint, in bytes. */
export const MAX_ENDPOINT_BYTES = 256 * 1024;
