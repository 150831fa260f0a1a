import type { FlowClient } from "../../interaction.ts";
import { html } from "../../text/html.ts";
import type { Page } from "./page.ts";
import { shownName } from "./shown-name.ts";

/** The content of a consent page. */
export interface ConsentQuestion {
  readonly client: FlowClient;
  /** The upstreams at which the person has signed in, and the accounts there. */
  readonly accounts: ReadonlyArray<{ readonly title: string; readonly account: string }>;
  /** The permissions of the client, in words. */
  readonly permissions: readonly string[];
  /** The address of the form. */
  readonly action: string;
  /** A keyed hash that proves that the form comes from the gateway. */
  readonly proof: string;
}

/** Returns the page that asks whether a client may act for a person. */
export function consentPage({ client, accounts, permissions, action, proof }: ConsentQuestion): Page {
  const name = shownName(client.name ?? "");
  const who =
    name === ""
      ? html`An application without a name`
      : client.isRegistered
        ? html`An application that calls itself <strong class="name">${name}</strong>`
        : html`<strong class="name">${name}</strong>`;
  const body = html`<p>${who} wants to act for you.</p>
<dl>
${accounts.map(({ title, account }) => html`<dt>Your account at ${title}</dt><dd><strong class="name">${shownName(account)}</strong></dd>\n`)}
<dt>What it may do</dt>
<dd><ul>
${permissions.map((permission) => html`<li>${permission}</li>\n`)}</ul></dd>
<dt>Where you are sent next</dt>
<dd><span class="host">${client.redirectHost}</span>${isOwnMachine(client.redirectHost) ? html` (a program on this computer)` : undefined}</dd>
</dl>
${client.isRegistered ? UNVERIFIED : undefined}
<form method="post" action="${action}">
<input type="hidden" name="proof" value="${proof}">
<div class="actions">
<button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Do not allow</button>
</div>
</form>`;
  return { status: 200, title: "Allow access to your account?", body, formTargets: targetsOf(client) };
}

const UNVERIFIED = html`<p class="notice"><strong>Nobody has verified this application.</strong> It registered itself, and
chose its own name. Allow it only if you have just started to sign in from it, and if you know where you are sent next.</p>
`;

/** Returns the origins to which the redirect of a client may lead: https, and http on loopback. */
export function targetsOf({ redirectHost }: FlowClient): string[] {
  // the host cannot be expressed in a policy (CSP 3 section 2.3.1), e.g. an IPv6 address
  if (!/^[A-Za-z0-9.-]+(?::\d+)?$/.test(redirectHost)) return ["https:", "http:"];
  return isOwnMachine(redirectHost)
    ? [`http://${redirectHost}`, `https://${redirectHost}`]
    : [`https://${redirectHost}`];
}

/** Reports whether a host, with or without a port, is the person's own machine. */
export function isOwnMachine(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i.test(host);
}
