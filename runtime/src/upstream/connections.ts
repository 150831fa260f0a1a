import type { Requester } from "../http/requester.ts";
import type { Secret } from "../text/secret.ts";
import type { Hop } from "./hop.ts";

/** The connections on which requests to an upstream are sent. */
export interface Connections {
  /** The kind of client: our own connections, or a supplied dispatcher or `fetch`. */
  readonly kind: "own" | "dispatcher" | "fetch";
  /** Secrets that are sent to a proxy, and must never be disclosed. */
  readonly secrets: readonly Secret[];
  /** Returns the connections to the origin of a base address. */
  base(origin: string): Requester;
  /** Returns the connections to the target of a redirect. */
  hop(hop: Pick<Hop, "origin" | "mustBePublic" | "isForeign">): Requester;
  /** Whether an origin is known to have a public address. */
  isPublic(origin: string): boolean;
  /** Whether an origin may be on the public internet. Our own connections check that when they connect. */
  mayBePublic(origin: string): boolean;
  /**
   * Whether requests to an origin are forwarded by a proxy, so that a response may come from the proxy
   * itself.
   */
  isForwarded(origin: string): boolean;
  /** Waits for running exchanges; later ones fail. */
  close(): Promise<void>;
}
