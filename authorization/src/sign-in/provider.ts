import type { UpstreamTokens } from "./tokens.ts";

/**
 * Why a third party did not do what a sign-in needs:
 * - `denied`: the person, or the third party on their behalf, has said no
 * - `unavailable`: it cannot be reached, is too slow, or says that it is not well
 * - `rejected`: it rejects a code or a token, which is therefore of no use any more
 * - `misconfigured`: it rejects us, or something that the configuration says
 * - `invalid`: it responded with something that no specification allows,
 *   or that does not belong to this sign-in
 */
export type ProviderFailure = "denied" | "unavailable" | "rejected" | "misconfigured" | "invalid";

/** A third party that failed. The text is for the log: it names what happened, and has no secrets. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = "ProviderError";
    this.failure = failure;
  }
}

/** Where a person is sent, and what must be known when they come back. */
export interface Departure {
  readonly address: string;
  /** Secret, for this flow alone. */
  readonly pending: Readonly<Record<string, string>>;
}

/** Where a third party sends a person back to. */
export interface ReturnAddress {
  /** The fixed redirect URI. */
  readonly returnUrl: string;
  /** The redirect URI of this flow alone. */
  readonly flowUrl: string;
  /** Comes back with `returnUrl`: random, for this flow and this departure. */
  readonly state: string;
}

/** An authorization server of an upstream. Its functions reject with ProviderErrors alone. */
export interface Provider {
  /** Starts a sign-in. */
  depart(to: ReturnAddress): Promise<Departure>;
  /** Takes a person back, who brings these parameters, and exchanges what they bring for tokens. */
  arrive(query: URLSearchParams, to: ReturnAddress, pending: Departure["pending"]): Promise<UpstreamTokens>;
  /** New tokens for old ones; undefined where they cannot be refreshed. */
  refresh(tokens: UpstreamTokens): Promise<UpstreamTokens | undefined>;
  /** Revokes tokens where it has an endpoint for that. */
  revoke(tokens: UpstreamTokens): Promise<void>;
}

/** Characters of a third party's own text for the log: enough to find the cause, and no secrets in full. */
const MAX_SHOWN = 200;

/** A text of a third party for the log: printable, and short. */
export function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, MAX_SHOWN);
}
