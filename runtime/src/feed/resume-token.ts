import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Secret } from "../text/secret.ts";
import { decodeTokenIds, encodeTokenIds, type TokenIds } from "./token-ids.ts";

const VERSION = 1;
const FEED_BYTES = 8;
const MAC_BYTES = 16;
const HEAD_BYTES = 1 + FEED_BYTES;
/**
 * The maximum length of an accepted token, in characters. The longest token that the runtime creates has
 * about 11,000 characters.
 */
const MAX_LENGTH = 16 * 1024;

/** The reason why a token is rejected. */
export type TokenFault =
  /** The token was modified, or signed with an unknown key. */
  | "damaged"
  /** Another version of this library created the token. */
  | "version"
  /** The token belongs to another feed. */
  | "foreign";

/**
 * Signs and reads resume tokens. A token contains a version, the feed, the keys of the items that the client
 * has, and an HMAC-SHA-256 truncated to 128 bits, all in base64url. A token records which items were
 * delivered. It grants no access, but anyone who has it can read the item IDs.
 */
export class ResumeTokens {
  private readonly keys: readonly Buffer[];

  /** @param keys at least one; the first key signs, and all keys verify */
  constructor(keys: ReadonlyArray<string | Secret>) {
    // the derived key has a fixed length, and is used only for resume tokens
    this.keys = keys.map((key) =>
      createHmac("sha256", Secret.of(key).reveal()).update("connect-rest resume tokens").digest(),
    );
  }

  /**
   * @param feed identifies the feed
   * @param more additional keys from another token of the same client
   */
  write(feed: string, keys: Iterable<string>, more?: TokenIds): string {
    const body = Buffer.concat([Buffer.of(VERSION), feedOf(feed), encodeTokenIds(keys, more)]);
    return Buffer.concat([body, macOf(this.signing, body)]).toString("base64url");
  }

  read(feed: string, token: string): TokenIds | TokenFault {
    if (token.length > MAX_LENGTH || !/^[\w-]+$/.test(token)) return "damaged";
    const bytes = Buffer.from(token, "base64url");
    // only the canonical encoding is accepted, since decoding ignores some bits of the last character
    if (bytes.toString("base64url") !== token || bytes.length < HEAD_BYTES + MAC_BYTES) return "damaged";
    const body = bytes.subarray(0, -MAC_BYTES);
    const mac = bytes.subarray(-MAC_BYTES);
    if (!this.keys.some((key) => timingSafeEqual(macOf(key, body), mac))) return "damaged";
    if (body[0] !== VERSION) return "version";
    if (!body.subarray(1, HEAD_BYTES).equals(feedOf(feed))) return "foreign";
    return decodeTokenIds(body.subarray(HEAD_BYTES));
  }

  /** Returns a keyed hash of a string, for names that must not reveal their content. */
  hash(text: string): string {
    return createHmac("sha256", this.signing).update(`name:${text}`).digest("base64url").slice(0, 32);
  }

  private get signing(): Buffer {
    return this.keys[0] as Buffer;
  }
}

function macOf(key: Buffer, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update(body).digest().subarray(0, MAC_BYTES);
}

function feedOf(feed: string): Buffer {
  return createHash("sha256").update(feed).digest().subarray(0, FEED_BYTES);
}
