import type { UpstreamTokens } from "./tokens.ts";

/**
 * The reason why an upstream failed:
 * - `denied`: the person rejected the sign-in, or the upstream did so on the person's behalf
 * - `unavailable`: the upstream is unreachable, too slow, or reports an outage
 * - `rejected`: the upstream rejects a code or a token, which can therefore no longer be used
 * - `misconfigured`: the upstream rejects the gateway, or a configured value
 * - `invalid`: the response violates the specification, or does not belong to this sign-in
 */
export type ProviderFailure = "denied" | "unavailable" | "rejected" | "misconfigured" | "invalid";

/** The failure of an upstream. The message is for the log: it describes the failure without secrets. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = "ProviderError";
    this.failure = failure;
  }
}

/** The address to which a person is redirected, and the data needed when the person returns. */
export interface Departure {
  readonly address: string;
  /** The secrets of this flow. */
  readonly pending: Readonly<Record<string, string>>;
}

/** The addresses to which an upstream can redirect a person. */
export interface ReturnAddress {
  /** The fixed redirect URI. */
  readonly returnUrl: string;
  /** The redirect URI for this flow only. */
  readonly flowUrl: string;
  /** The state to send with `returnUrl`: random, for this flow and this redirect. */
  readonly state: string;
}

/** An upstream's authorization server. Its functions reject only with ProviderErrors. */
export interface Provider {
  /** Starts a sign-in. */
  depart(to: ReturnAddress): Promise<Departure>;
  /** Handles a person's return with these parameters, and exchanges the parameters for tokens. */
  arrive(query: URLSearchParams, to: ReturnAddress, pending: Departure["pending"]): Promise<UpstreamTokens>;
  /** Returns new tokens; undefined if the tokens cannot be refreshed. */
  refresh(tokens: UpstreamTokens): Promise<UpstreamTokens | undefined>;
  /** Revokes tokens, if the upstream has an endpoint for that. */
  revoke(tokens: UpstreamTokens): Promise<void>;
}

/**
 * The maximum length of an upstream's message in the log, in characters: long enough to find the cause, too
 * short for a complete secret.
 */
const MAX_SHOWN = 200;

/** Shortens an upstream's message for the log, and replaces characters that are not printable. */
export function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, MAX_SHOWN);
}
