import { hashOf } from "connect-rest-runtime/internal";
import { z } from "zod";
import type { FlowClient } from "../interaction.ts";
import type { Store } from "../store/store.ts";
import { isOwnMachine } from "./pages/consent-page.ts";

const KIND = "consent";

const consentSchema = z.object({ scopes: z.array(z.string()), redirectHost: z.string() });

/**
 * What persons have consented to, for a while: by the id of the client alone, whatever it calls itself. A
 * client that registered itself and runs on the person's machine is never remembered, since any program there
 * could pass for it (RFC 8252 section 8.6).
 */
export class Consents {
  private readonly store: Store;
  private readonly rememberMs: number;
  private readonly now: () => number;

  /** @param rememberMs 0 remembers nothing */
  constructor(store: Store, rememberMs: number, now: () => number) {
    this.store = store;
    this.rememberMs = rememberMs;
    this.now = now;
  }

  /** Whether a person has consented to all of this before. */
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

/** On the person's machine the port changes from time to time. */
function hostOf({ redirectHost }: FlowClient): string {
  return isOwnMachine(redirectHost) ? redirectHost.replace(/:\d+$/, "") : redirectHost;
}

function keyOf(subject: string, { id }: FlowClient): string {
  return hashOf(JSON.stringify([subject, id]));
}
