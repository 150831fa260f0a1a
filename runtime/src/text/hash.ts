import { hash } from "node:crypto";

/**
 * The key of a row that stands for a secret: SHA-256 in base64url. Secrets are random and long,
 * so that this is enough.
 */
export function hashOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}
