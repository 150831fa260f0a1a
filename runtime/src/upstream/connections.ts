import type { Requester } from "../http/requester.ts";
import type { Secret } from "../text/secret.ts";
import type { Hop } from "./hop.ts";

/** The connections of an upstream. */
export interface Connections {
  /** The kind of client: the runtime's own connections, or a supplied dispatcher or `fetch`. */
  readonly kind: "own" | "dispatcher" | "fetch";
  /** Secrets that are sent to a proxy, and must never be disclosed. */
  readonly secrets: readonly Secret[];
  /** Returns the connections to the origin of a base address. */
  base(origin: string): Requester;
  /** Returns the connections to the target of a redirect. */
  hop(hop: Pick<Hop, "origin" | "mustBePublic" | "isForeign">): Requester;
  /** Reports whether an origin is known to have a public address. */
  isPublic(origin: string): boolean;
  /**
   * Reports whether an origin may be on the public internet. The runtime's own connections check this when
   * they connect.
   */
  mayBePublic(origin: string): boolean;
  /**
   * Reports whether requests to an origin are forwarded by a proxy, so that the proxy itself may send the
   * response.
   */
  isForwarded(origin: string): boolean;
  /** Waits for running exchanges. Exchanges that begin later fail. */
  close(): Promise<void>;
}
