import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import type { Secret } from "connect-rest-runtime";
import { sealingKeyBytes } from "connect-rest-runtime/internal";

/**
 * The row and the person to which a sealed value belongs. The value opens only there: after a move to another
 * row or person, it is rejected.
 */
export interface SealedPlace {
  /** The kind of the row. */
  readonly kind: string;
  /** The key of the row. */
  readonly key: string;
  /** The person to whom the value belongs. */
  readonly subject: string;
}

/**
 * Thrown for a value that was changed, was sealed for another row or person, or was sealed with a key that
 * the ring lacks.
 */
export class UnsealFailed extends Error {
  /** The ID of a key that the ring lacks; undefined if the key is present but the value does not open. */
  readonly missingKey: string | undefined;

  constructor({ kind }: SealedPlace, missingKey?: string) {
    super(
      missingKey === undefined
        ? `the sealed value of a row (${kind}) does not open: it was changed, or belongs to another row or person`
        : `the value of a row (${kind}) is sealed with the key ${missingKey}, which is not among the keys of the configuration`,
    );
    this.name = "UnsealFailed";
    this.missingKey = missingKey;
  }
}

const VERSION = "1";
const IV_BYTES = 12;
const TAG_BYTES = 16;

interface RingKey {
  readonly id: string;
  readonly cipher: Buffer;
  readonly mac: Buffer;
}

/**
 * Seals values that must be read back from the store (AES-256-GCM, NIST SP 800-38D, with a random 96-bit
 * nonce for each value). The additional data bind a value to its row and person. The first key seals; all
 * keys open. To replace a key, put the new key first, and remove the old key once no value is sealed with it.
 */
export class KeyRing {
  private readonly keys: readonly [RingKey, ...RingKey[]];

  /**
   * @param secrets each at least 32 random bytes, in base64, base64url or hexadecimal; the current secret is
   *   first
   * @throws Error if the list is empty, or a secret is too short
   */
  constructor(secrets: readonly Secret[]) {
    const [first, ...others] = secrets.map(keyOf);
    if (first === undefined) throw new Error("there is no key to seal values with");
    this.keys = [first, ...others];
  }

  /** Seals a string. */
  seal(text: string, place: SealedPlace): string {
    const [{ id, cipher: key }] = this.keys;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(additionalData(id, place));
    const sealed = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${id}.${sealed.toString("base64url")}`;
  }

  /**
   * Opens a value that `seal` returned.
   *
   * @throws UnsealFailed
   */
  open(sealed: string, place: SealedPlace): string {
    const [version, id, data, ...rest] = sealed.split(".");
    if (version !== VERSION || id === undefined || data === undefined || rest.length > 0) {
      throw new UnsealFailed(place);
    }
    const key = this.keys.find((each) => each.id === id);
    if (key === undefined) throw new UnsealFailed(place, /^[0-9a-f]{1,16}$/.test(id) ? id : "unknown");
    return decipher(Buffer.from(data, "base64url"), key, place);
  }

  /** Reports whether a value should be sealed again, because it was not sealed with the current key. */
  isStale(sealed: string): boolean {
    return sealed.split(".")[1] !== this.keys[0].id;
  }

  /** Returns a keyed hash of a string for a purpose, in base64url. */
  mac(purpose: string, text: string): string {
    return macOf(this.keys[0], purpose, text).toString("base64url");
  }

  /**
   * Reports whether a keyed hash belongs to this string and purpose, with any key of the ring. Takes constant
   * time.
   */
  isMac(mac: string, purpose: string, text: string): boolean {
    const given = Buffer.from(mac, "base64url");
    return this.keys.some((key) => {
      const expected = macOf(key, purpose, text);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

function keyOf(secret: Secret): RingKey {
  const bytes = sealingKeyBytes(secret);
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync("sha256", bytes, "", `connect-rest ${purpose}`, length));
  return { id: derive("key id", 4).toString("hex"), cipher: derive("seal", 32), mac: derive("mac", 32) };
}

function decipher(data: Buffer, { id, cipher: key }: RingKey, place: SealedPlace): string {
  if (data.length < IV_BYTES + TAG_BYTES) throw new UnsealFailed(place);
  try {
    const opened = createDecipheriv("aes-256-gcm", key, data.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(additionalData(id, place))
      .setAuthTag(data.subarray(-TAG_BYTES));
    const text = opened.update(data.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, opened.final()]).toString("utf8");
  } catch {
    throw new UnsealFailed(place);
  }
}

/** Joins the parts with their lengths, so that different rows and persons always result in different data. */
function additionalData(id: string, { kind, key, subject }: SealedPlace): Buffer {
  const parts = [VERSION, id, kind, key, subject].map((part) => Buffer.from(part, "utf8"));
  return Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}

function macOf({ mac }: RingKey, purpose: string, text: string): Buffer {
  return createHmac("sha256", mac).update(`${purpose}\0${text}`).digest();
}
