import type { Secret } from "../text/secret.ts";

/** Secrets that a call remembers: more than the credentials of any request and those that follow it. */
const MAX_SECRETS = 32;

/** What a call sent as credentials: the newest, of streams that send new ones again and again. */
export class SentSecrets {
  private readonly secrets = new Map<string, Secret>();

  /** Remembers secrets; a function of its own, to be handed on. */
  readonly add = (secrets: readonly Secret[]): void => {
    for (const secret of secrets) {
      this.secrets.delete(secret.reveal());
      this.secrets.set(secret.reveal(), secret);
    }
    for (const oldest of this.secrets.keys()) {
      if (this.secrets.size <= MAX_SECRETS) break;
      this.secrets.delete(oldest);
    }
  };

  /** The secrets, the oldest first. */
  newest(): Iterable<Secret> {
    return this.secrets.values();
  }
}
