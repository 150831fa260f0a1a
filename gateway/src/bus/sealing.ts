import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { FeedEntryKind } from "connect-rest-runtime/internal";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The first byte: how the rest is written. */
const PLAIN = 1;
const SEALED = 2;

/** How many bytes sealing adds at most. */
export const SEALING_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** How the entries of one feed are written on the bus. */
export interface Sealing {
  seal(kind: FeedEntryKind, entry: Uint8Array): Buffer;
  /** The entry, or undefined for what was not sealed so. */
  open(kind: FeedEntryKind, bytes: Uint8Array): Uint8Array | undefined;
}

/** Entries as they are, for feeds that anybody may read. */
export const PLAIN_ENTRIES: Sealing = {
  seal: (_kind, entry) => Buffer.concat([Buffer.of(PLAIN), entry]),
  open: (_kind, bytes) => (bytes[0] === PLAIN ? bytes.subarray(1) : undefined),
};

/**
 * Entries that only those can read and write who have a key: AES-256-GCM (NIST SP 800-38D) with a key for
 * each feed, made with HKDF (RFC 5869), so that no feed uses up the nonces of another. What an entry is, and
 * of which feed, is sealed with it.
 *
 * @param keys the first one seals, and all open
 */
export function sealedEntries(keys: readonly string[], feed: string): Sealing {
  const derived = keys.map((key) =>
    Buffer.from(hkdfSync("sha256", key, "", `connect-rest feed ${feed}`, 32)),
  );
  return {
    seal: (kind, entry) => seal(derived[0] ?? Buffer.alloc(0), kind, entry),
    open: (kind, bytes) => {
      if (bytes[0] !== SEALED || bytes.length < SEALING_BYTES) return undefined;
      for (const key of derived) {
        const entry = open(key, kind, bytes);
        if (entry !== undefined) return entry;
      }
      return undefined;
    },
  };
}

function seal(key: Buffer, kind: FeedEntryKind, entry: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(kind));
  const sealed = Buffer.concat([cipher.update(entry), cipher.final()]);
  return Buffer.concat([Buffer.of(SEALED), nonce, sealed, cipher.getAuthTag()]);
}

function open(key: Buffer, kind: FeedEntryKind, bytes: Uint8Array): Uint8Array | undefined {
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(kind));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
