import type { UpstreamTokens } from "./tokens.ts";

/**
 * The reason why a third party failed:
 * - `denied`: the person rejected the sign-in, or the third party did on their behalf
 * - `unavailable`: it is unreachable, too slow, or reports an outage
 * - `rejected`: it rejects a code or a token, which can therefore no longer be used
 * - `misconfigured`: it rejects the gateway, or a configured value
 * - `invalid`: its response violates the specification, or does not belong to this sign-in
 */
export type ProviderFailure = "denied" | "unavailable" | "rejected" | "misconfigured" | "invalid";

/** The failure of a third party. The message is for the log: it describes the failure, without secrets. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = "ProviderError";
    this.failure = failure;
  }
}

/** The address to which a person is sent, and the data needed at their return. */
export interface Departure {
  readonly address: string;
  /** Secrets of this flow. */
  readonly pending: Readonly<Record<string, string>>;
}

/** The addresses to which a third party sends a person back. */
export interface ReturnAddress {
  /** The fixed redirect URI. */
  readonly returnUrl: string;
  /** The redirect URI for this flow only. */
  readonly flowUrl: string;
  /** Returned with `returnUrl`: random, for this flow and this departure. */
  readonly state: string;
}

/** An authorization server of an upstream. Its functions reject only with ProviderErrors. */
export interface Provider {
  /** Starts a sign-in. */
  depart(to: ReturnAddress): Promise<Departure>;
  /** Handles the return of a person with these parameters, and exchanges them for tokens. */
  arrive(query: URLSearchParams, to: ReturnAddress, pending: Departure["pending"]): Promise<UpstreamTokens>;
  /** Returns new tokens; undefined if these cannot be refreshed. */
  refresh(tokens: UpstreamTokens): Promise<UpstreamTokens | undefined>;
  /** Revokes tokens, if there is an endpoint for it. */
  revoke(tokens: UpstreamTokens): Promise<void>;
}

/**
 * The most characters of a third party's text in the log: enough to find the cause, too few for a whole
 * secret.
 */
const MAX_SHOWN = 200;

/** Makes a third party's text printable and short for the log. */
export function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, MAX_SHOWN);
}
