import type { HttpExchange } from "./host.ts";

/**
 * Signs a person in and asks for consent, between the authorization request and its response. Serves all
 * pages that a browser shows for the authorization server.
 */
export interface Interactions {
  /**
   * Serves a request to a flow's path: pages, form posts, the return from an upstream. Sends the response
   * itself, or through `finish` or `fail` of the flow. An exception becomes a 500 and is reported.
   *
   * The path of the request is `flow.path` or begins with `flow.path/`. An upstream that requires a fixed
   * redirect URI gets `flow.returnUrl`, and a `state` that begins with `flow.returnState`. A return with such
   * a state is redirected to `{flow.path}/return`, with its query.
   *
   * @returns the error for the log and metrics, if the response is an error
   */
  serve(exchange: HttpExchange, flow: Flow): Promise<string | undefined>;
}

/**
 * A client's authorization request, as a person's browser shows it. The server has checked the cookie of the
 * browser.
 */
export interface Flow {
  /** A random ID that only this browser knows. Secrets of the flow may be stored under its hash. */
  readonly id: string;
  /**
   * The path of the flow's pages, without a trailing slash: `/authorize/i/{id}`. The browser is first sent
   * there.
   */
  readonly path: string;
  /** The redirect URI for upstreams that require a fixed one. */
  readonly returnUrl: string;
  /**
   * The prefix that each `state` for `returnUrl` must have. The caller chooses the rest, from `A-Z a-z 0-9 -
   * _`.
   */
  readonly returnState: string;
  /** The time at which the flow expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The maximum pause while a request body arrives, in milliseconds. */
  readonly bodyIdleTimeoutMs: number;
  readonly client: FlowClient;
  /**
   * The requested scopes that the client may have. If the client requested none, these are all scopes that it
   * may have.
   */
  readonly scopes: readonly string[];
  /**
   * Whether the person must be asked for consent even if an earlier consent was remembered (`prompt=consent`,
   * OpenID Connect Core section 3.1.2.1).
   */
  readonly asksConsent: boolean;
  /**
   * The resource that the client requests (RFC 8707), without a trailing slash. Undefined if the client named
   * no resource.
   */
  readonly resource: string | undefined;
  /** Redirects the browser to the client through the server, once the person has signed in and consented. */
  finish(result: FlowResult): Promise<void>;
  /** Redirects the browser to the client with an error (RFC 6749 section 4.1.2.1). */
  fail(error: FlowError, description: string): Promise<void>;
}

/** The client of a flow. */
export interface FlowClient {
  readonly id: string;
  /** The name that the client claims, which may be false. */
  readonly name?: string | undefined;
  /** Whether the client registered itself (RFC 7591), so that nobody has verified it. */
  readonly isRegistered: boolean;
  /** The host that receives the code, with its port. */
  readonly redirectHost: string;
  /** The web page that the client claims. */
  readonly uri?: string | undefined;
}

/** A person who has signed in, and the scopes that the person consents to. */
export interface FlowResult {
  /** A unique and stable name of the person: `upstream:account`. */
  readonly subject: string;
  /** The upstream session to which the tokens are bound. Its rows in the store are removed with it. */
  readonly sessionId: string;
  /** The granted scopes, a subset of the scopes of the flow. */
  readonly scopes: readonly string[];
}

export type FlowError = "access_denied" | "server_error" | "temporarily_unavailable";

/** The upstream sessions to which the gateway's tokens are bound. */
export interface Sessions {
  /**
   * Reports whether a session is alive. Called whenever a token is looked up or refreshed. The result may
   * come from a cache. A StoreError fails the call as UNAVAILABLE.
   */
  isAlive(sessionId: string): Promise<boolean>;
  /** Deletes the upstream tokens of a session once the last grant bound to the session has been revoked. */
  end(sessionId: string): Promise<void>;
}

/** The path of flow pages, in `/authorize/`. */
export const INTERACTION_PATH = "/authorize/i";
