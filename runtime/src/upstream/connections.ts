import type { Requester } from "../http/requester.ts";
import type { Secret } from "../text/secret.ts";
import type { Hop } from "./hop.ts";

/** What requests to an upstream go out on. */
export interface Connections {
  /** Whose they are: our own, or those of a dispatcher or a `fetch` that was supplied. */
  readonly kind: "own" | "dispatcher" | "fetch";
  /** What is sent to a proxy, and must never be shown. */
  readonly secrets: readonly Secret[];
  /** Those to the origin of a base address. */
  base(origin: string): Requester;
  /** Those to where a redirect leads. */
  hop(hop: Pick<Hop, "origin" | "mustBePublic" | "isForeign">): Requester;
  /** Whether an origin is at a public address, as far as is known. */
  isPublic(origin: string): boolean;
  /**
   * Whether an origin may be one of the public internet. Where connections are our own,
   * that is decided by them.
   */
  mayBePublic(origin: string): boolean;
  /**
   * Whether requests to an origin are handed to a proxy as they are,
   * so that a response may be the proxy's own.
   */
  isForwarded(origin: string): boolean;
  /** Waits for running exchanges; later ones fail. */
  close(): Promise<void>;
}
