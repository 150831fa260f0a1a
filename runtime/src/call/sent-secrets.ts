import type { Secret } from "../text/secret.ts";

/**
 * The maximum number of remembered secrets: more than a request sends, including its redirects and retries.
 */
const MAX_SECRETS = 32;

/** The newest credentials that a call sent. A stream may send new credentials repeatedly. */
export class SentSecrets {
  private readonly secrets = new Map<string, Secret>();

  /** Remembers secrets. This is an arrow function so that it can be passed as a callback. */
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

  /** Returns the secrets, oldest first. */
  newest(): Iterable<Secret> {
    return this.secrets.values();
  }
}
