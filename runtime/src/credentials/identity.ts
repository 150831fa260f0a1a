import { createHmac } from "node:crypto";
import type { Clock } from "connect-rest-codec/internal";
import type { CredentialKind } from "../adapter/rules.ts";
import { Secret } from "../text/secret.ts";
import type { Credentials } from "./credentials.ts";

/** Identifies sets of credentials by a keyed hash, without storing the credentials. */
export class Identities {
  private readonly key: string;

  constructor(clock: Clock) {
    this.key = clock.randomHex(32);
  }

  /** Returns the identity of the credentials of this kind. */
  of(kind: CredentialKind, credentials: Credentials): string {
    return this.hash([kind, ...partsOf(kind, credentials)]);
  }

  /**
   * Returns the identity of the owner of these credentials. The identity depends on the secrets, while the
   * result of `of` depends on names only.
   */
  proven(kind: CredentialKind, credentials: Credentials): string {
    const { oauth1 } = credentials;
    const secrets = kind.startsWith("oauth1") ? [oauth1?.consumerSecret, oauth1?.tokenSecret] : [];
    return this.hash([kind, ...partsOf(kind, credentials), ...secrets.map(reveal)]);
  }

  private hash(parts: readonly string[]): string {
    const hash = createHmac("sha256", this.key);
    for (const part of parts) hash.update(`${part.length}:${part}`);
    return hash.digest("base64");
  }
}

function partsOf(kind: CredentialKind, { apiKey, oauth1, oauth2, basic }: Credentials): string[] {
  switch (kind) {
    case "none":
      return [];
    case "api_key":
      return [reveal(apiKey)];
    case "oauth1_client":
      return [reveal(oauth1?.consumerKey)];
    case "oauth1":
      return [reveal(oauth1?.consumerKey), reveal(oauth1?.token)];
    case "oauth2":
      return oauth2?.identity === undefined ? [reveal(oauth2?.accessToken)] : ["identity", oauth2.identity];
    case "basic":
      return [reveal(basic?.username), reveal(basic?.password)];
  }
}

function reveal(value: string | Secret | undefined): string {
  return Secret.of(value ?? "").reveal();
}
