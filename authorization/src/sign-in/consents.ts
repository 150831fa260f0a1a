import { hashOf } from "connect-rest-runtime/internal";
import { z } from "zod";
import type { FlowClient } from "../interaction.ts";
import type { Store } from "../store/store.ts";
import { isOwnMachine } from "./pages/consent-page.ts";

const KIND = "consent";

const consentSchema = z.object({ scopes: z.array(z.string()), redirectHost: z.string() });

/**
 * Remembers consents for a limited time, by the ID of the client, not by the name that the client claims.
 * Consents to a self-registered client on the person's machine are never remembered, since any program there
 * could impersonate the client (RFC 8252 section 8.6).
 */
export class Consents {
  private readonly store: Store;
  private readonly rememberMs: number;
  private readonly now: () => number;

  /** @param rememberMs 0 to remember nothing */
  constructor(store: Store, rememberMs: number, now: () => number) {
    this.store = store;
    this.rememberMs = rememberMs;
    this.now = now;
  }

  /** Reports whether a person has already consented to all of these scopes. */
  async has(subject: string, client: FlowClient, scopes: readonly string[]): Promise<boolean> {
    if (!this.mayRemember(client)) return false;
    const entry = await this.store.get(KIND, keyOf(subject, client));
    if (entry === undefined) return false;
    const consent = consentSchema.parse(JSON.parse(entry.value));
    return consent.redirectHost === hostOf(client) && scopes.every((scope) => consent.scopes.includes(scope));
  }

  /** Remembers a consent. */
  async add(subject: string, client: FlowClient, scopes: readonly string[]): Promise<void> {
    if (!this.mayRemember(client)) return;
    const value = JSON.stringify({ scopes, redirectHost: hostOf(client) });
    await this.store.put(KIND, keyOf(subject, client), { value, expiresAt: this.now() + this.rememberMs });
  }

  private mayRemember({ isRegistered, redirectHost }: FlowClient): boolean {
    return this.rememberMs > 0 && !(isRegistered && isOwnMachine(redirectHost));
  }
}

/** Returns the host to remember. A host on the person's machine has no port, since the port may change. */
function hostOf({ redirectHost }: FlowClient): string {
  return isOwnMachine(redirectHost) ? redirectHost.replace(/:\d+$/, "") : redirectHost;
}

function keyOf(subject: string, { id }: FlowClient): string {
  return hashOf(JSON.stringify([subject, id]));
}
