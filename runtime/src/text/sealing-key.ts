import type { Secret } from "./secret.ts";

/** The minimum length of a key, in bytes. */
const MIN_KEY_BYTES = 32;

/**
 * Decodes the key that encrypts stored values.
 *
 * @param secret at least 32 random bytes, as base64, base64url or hexadecimal digits
 * @throws Error for any other text
 */
export function sealingKeyBytes(secret: Secret): Buffer {
  const bytes = bytesOf(secret.reveal().trim());
  if (bytes === undefined || bytes.length < MIN_KEY_BYTES) {
    throw new Error(
      `a key has to be at least ${MIN_KEY_BYTES} random bytes in base64 or hexadecimal digits, e.g. from \`openssl rand -base64 32\``,
    );
  }
  return bytes;
}

function bytesOf(text: string): Buffer | undefined {
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) return Buffer.from(text, "hex");
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
}
