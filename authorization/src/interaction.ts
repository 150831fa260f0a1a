import type { HttpExchange } from "./host.ts";

/**
 * Signs a person in and asks for consent, between the authorization request and its response: everything
 * that a browser sees of the authorization server.
 */
export interface Interactions {
  /**
   * Serves a request below the path of a flow: pages, form posts, the return from a third party. Sends the
   * response itself, or through `finish` or `fail` of the flow. An exception becomes a 500 and is reported.
   *
   * The path of the request is `flow.path` or below it. A third party that requires one fixed redirect URI
   * gets `flow.returnUrl`, and a `state` that begins with `flow.returnState`: a return with such a state is
   * redirected to `{flow.path}/return`, with its query.
   *
   * @returns the error for the log and metrics, if the response is one
   */
  serve(exchange: HttpExchange, flow: Flow): Promise<string | undefined>;
}

/**
 * An authorization request of a client, as seen by a person's browser. The server has checked the browser's
 * cookie.
 */
export interface Flow {
  /** Random, and known to this browser only: secrets of the flow may be stored under its hash. */
  readonly id: string;
  /**
   * The path of its pages, without a trailing slash: `/authorize/i/{id}`. The browser is first sent there.
   */
  readonly path: string;
  /** The redirect URI for third parties that require a fixed one. */
  readonly returnUrl: string;
  /** The prefix of each `state` for `returnUrl`. The caller chooses the rest, from `A-Z a-z 0-9 - _`. */
  readonly returnState: string;
  /** The time at which the flow expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The longest pause while a request body arrives, in milliseconds. */
  readonly bodyIdleTimeoutMs: number;
  readonly client: FlowClient;
  /** The requested scopes that the client may have, or all of its scopes if it requested none. */
  readonly scopes: readonly string[];
  /**
   * Whether the person must be asked for consent regardless of remembered consents (`prompt=consent`,
   * OpenID Connect Core section 3.1.2.1).
   */
  readonly asksConsent: boolean;
  /**
   * The resource that the client requests (RFC 8707), without a trailing slash. Undefined if the client
   * named none.
   */
  readonly resource: string | undefined;
  /**
   * Redirects the browser to the client through the server, after the person has signed in and consented.
   */
  finish(result: FlowResult): Promise<void>;
  /** Redirects the browser to the client with an error (RFC 6749 section 4.1.2.1). */
  fail(error: FlowError, description: string): Promise<void>;
}

/** The client of a flow. */
export interface FlowClient {
  readonly id: string;
  /** The client's own claim, which may be false. */
  readonly name?: string | undefined;
  /** Whether the client registered itself (RFC 7591), so that nobody has verified it. */
  readonly isRegistered: boolean;
  /** The host that receives the code, with its port. */
  readonly redirectHost: string;
  /** The client's web page, by its own claim. */
  readonly uri?: string | undefined;
}

/** The person who has signed in, and the scopes that they consent to. */
export interface FlowResult {
  /** A unique and stable name of the person: `upstream:account`. */
  readonly subject: string;
  /**
   * The session at the third party to which the tokens are bound; the store's rows of the session are
   * removed with it.
   */
  readonly sessionId: string;
  /** A subset of the scopes of the flow. */
  readonly scopes: readonly string[];
}

export type FlowError = "access_denied" | "server_error" | "temporarily_unavailable";

/** The sessions at third parties to which tokens of the gateway are bound. */
export interface Sessions {
  /**
   * Reports whether a session is alive; called whenever a token is looked up or refreshed. The answer may
   * come from a cache; a StoreError fails the call as UNAVAILABLE.
   */
  isAlive(sessionId: string): Promise<boolean>;
  /** Deletes the tokens of the third party, after the last grant bound to the session was revoked. */
  end(sessionId: string): Promise<void>;
}

/** The path of the pages of flows, below `/authorize/`. */
export const INTERACTION_PATH = "/authorize/i";
