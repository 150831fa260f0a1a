import type { HttpExchange } from "./host.ts";

/**
 * Signs a person in and asks for consent, between the authorization request and its response: everything that
 * a browser sees of the authorization server.
 */
export interface Interactions {
  /**
   * Serves a request below the path of a flow: pages, posts, the return from a third party. Sends the
   * response itself, or by `finish` or `fail` of the flow. What it throws becomes a 500, and is reported.
   *
   * The request's path is `flow.path`, or one below it; a third party that wants one fixed redirect URI gets
   * `flow.returnUrl`, and a `state` that begins with `flow.returnState`: what comes back there with that
   * state is sent on to `{flow.path}/return`, with its query.
   *
   * @returns the error for the log and metrics, where the response is one
   */
  serve(exchange: HttpExchange, flow: Flow): Promise<string | undefined>;
}

/**
 * One authorization request of a client, as a person's browser takes part in it.
 * The browser's cookie was checked before.
 */
export interface Flow {
  /** Random, and known to this browser alone: secrets of the flow may be stored under its hash. */
  readonly id: string;
  /**
   * Where its pages are, without a slash at the end: `/authorize/i/{id}`. The browser is sent there first.
   */
  readonly path: string;
  /** The redirect URI for third parties that want a fixed one. */
  readonly returnUrl: string;
  /** What a `state` for `returnUrl` begins with. The rest is the caller's, of `A-Z a-z 0-9 - _`. */
  readonly returnState: string;
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** How long the body of a request may pause, in milliseconds. */
  readonly bodyIdleTimeoutMs: number;
  readonly client: FlowClient;
  /** What the client asks for of what it may have, or all of that where it did not say. */
  readonly scopes: readonly string[];
  /**
   * Whether the person has to be asked for consent, whatever is remembered (`prompt=consent`, OpenID Connect
   * Core section 3.1.2.1).
   */
  readonly asksConsent: boolean;
  /**
   * The resource that the client asks for (RFC 8707), without a slash at the end.
   * Undefined where it did not say.
   */
  readonly resource: string | undefined;
  /** The person has signed in and consented: redirects the browser to the client, by way of the server. */
  finish(result: FlowResult): Promise<void>;
  /** Redirects the browser to the client with an error (RFC 6749 section 4.1.2.1). */
  fail(error: FlowError, description: string): Promise<void>;
}

/** The client of a flow. */
export interface FlowClient {
  readonly id: string;
  /** As the client itself says, which it may have made up. */
  readonly name?: string | undefined;
  /** Whether it registered itself (RFC 7591), so that nobody has vouched for it. */
  readonly isRegistered: boolean;
  /** The host that the code goes to, with its port. */
  readonly redirectHost: string;
  /** Its web page, as it says. */
  readonly uri?: string | undefined;
}

/** Who has signed in, and to what they consent. */
export interface FlowResult {
  /** The person, by a name that is unique and stable: `upstream:account`. */
  readonly subject: string;
  /**
   * The session at the third party that the tokens are bound to; rows of the
   * store that belong to it go with it.
   */
  readonly sessionId: string;
  /** Of the flow's scopes. */
  readonly scopes: readonly string[];
}

export type FlowError = "access_denied" | "server_error" | "temporarily_unavailable";

/** Sessions at third parties, which tokens of ours are bound to. */
export interface Sessions {
  /**
   * Asked whenever a token is looked up or refreshed: whether the session behind it still stands. May answer
   * from what it knows; a StoreError fails the call as UNAVAILABLE.
   */
  isAlive(sessionId: string): Promise<boolean>;
  /** The last grant that was bound to the session has been revoked: forgets the third party's tokens. */
  end(sessionId: string): Promise<void>;
}

/** Below `/authorize/`: the pages of flows. */
export const INTERACTION_PATH = "/authorize/i";
