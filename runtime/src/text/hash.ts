import { hash } from "node:crypto";

/**
 * Returns the database key for a secret, which is the SHA-256 of the secret in base64url. A plain hash
 * suffices, since secrets are random and long.
 */
export function hashOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}
