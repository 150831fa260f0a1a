import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { FeedEntryKind } from "connect-rest-runtime/internal";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The values of the first byte, which identifies the format. */
const PLAIN = 1;
const SEALED = 2;

/** The maximum number of bytes that encryption adds. */
export const SEALING_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** The encoding of a feed's entries on the bus. */
export interface Sealing {
  seal(kind: FeedEntryKind, entry: Uint8Array): Buffer;
  /** Decodes an entry; returns undefined if the entry is in another encoding. */
  open(kind: FeedEntryKind, bytes: Uint8Array): Uint8Array | undefined;
}

/** The encoding of public feeds, without encryption. */
export const PLAIN_ENTRIES: Sealing = {
  seal: (_kind, entry) => Buffer.concat([Buffer.of(PLAIN), entry]),
  open: (_kind, bytes) => (bytes[0] === PLAIN ? bytes.subarray(1) : undefined),
};

/**
 * Returns the encoding of entries that only key holders can read and write: AES-256-GCM (NIST SP 800-38D).
 * Each feed has a separate key, derived with HKDF (RFC 5869), so that no feed exhausts the nonces of another.
 * The entry's kind and feed are authenticated as well.
 *
 * @param keys the first key encrypts, and all keys decrypt
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
