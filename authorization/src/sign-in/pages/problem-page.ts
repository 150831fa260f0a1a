import type { FlowClient, FlowError } from "../../interaction.ts";
import { html } from "../../text/html.ts";
import type { ProviderFailure } from "../provider.ts";
import { targetsOf } from "./consent-page.ts";
import type { Page } from "./page.ts";

/** The explanation of a failure for the person, and the error for the client. */
interface Meaning {
  readonly status: number;
  readonly title: (provider: string) => string;
  readonly text: (provider: string) => string;
  readonly error: FlowError;
  readonly description: (provider: string) => string;
}

/** The meanings of upstream failures. */
export const MEANINGS: Readonly<Record<ProviderFailure, Meaning>> = {
  denied: {
    status: 403,
    title: (provider) => `You did not sign in at ${provider}`,
    text: (provider) => `${provider} says that access was not allowed. Nothing has been shared.`,
    error: "access_denied",
    description: (provider) => `the person did not allow access at ${provider}`,
  },
  unavailable: {
    status: 503,
    title: (provider) => `${provider} does not respond`,
    text: (provider) =>
      `${provider} cannot be reached, or is too slow at the moment. Try again in a few minutes.`,
    error: "temporarily_unavailable",
    description: (provider) => `${provider} does not respond`,
  },
  rejected: {
    status: 400,
    title: () => "The sign-in took too long",
    text: (provider) =>
      `${provider} no longer accepts this sign-in: it has expired, or was used before. Try again from the beginning.`,
    error: "access_denied",
    description: (provider) => `${provider} rejected the sign-in`,
  },
  misconfigured: {
    status: 502,
    title: (provider) => `Signing in at ${provider} is not set up correctly`,
    text: (provider) =>
      `${provider} rejected this gateway, not you. Tell those who run the gateway; trying again will not help before.`,
    error: "server_error",
    description: (provider) => `${provider} rejected the gateway`,
  },
  invalid: {
    status: 502,
    title: (provider) => `${provider} sent something unexpected`,
    text: (provider) =>
      `What came back from ${provider} does not belong to this sign-in, or cannot be understood. It was not used. Try again from the beginning.`,
    error: "server_error",
    description: (provider) => `${provider} sent something unexpected`,
  },
};

/** The ways in which a person can continue after a problem. */
export interface WayOut {
  readonly client: FlowClient;
  /** The address at which a new sign-in begins. */
  readonly again: string;
  /** The address of the form that returns to the client. */
  readonly action: string;
  readonly proof: string;
}

/** Returns the page about the failure of an upstream. */
export function problemPage(failure: ProviderFailure, provider: string, out: WayOut): Page {
  const { status, title, text, error } = MEANINGS[failure];
  const body = html`<p>${text(provider)}</p>
<form method="post" action="${out.action}">
<input type="hidden" name="proof" value="${out.proof}">
<div class="actions">
<a class="button" href="${out.again}">Try again</a>
<button name="decision" value="leave">Go back to the application</button>
</div>
</form>`;
  return { status, outcome: error, title: title(provider), body, formTargets: targetsOf(out.client) };
}

/** Returns the page for a request that belongs to no current sign-in. */
export function strayPage(status: number, outcome: string, text: string): Page {
  const body = html`<p>${text}</p>
<p>Go back to the application, and start to sign in again.</p>`;
  return { status, outcome, title: "This sign-in cannot go on", body };
}
