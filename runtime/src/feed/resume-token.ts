import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Secret } from "../text/secret.ts";
import { decodeTokenIds, encodeTokenIds, type TokenIds } from "./token-ids.ts";

const VERSION = 1;
const FEED_BYTES = 8;
const MAC_BYTES = 16;
const HEAD_BYTES = 1 + FEED_BYTES;
/** The longest token that is looked at, in characters. The longest that is made has about 11,000. */
const MAX_LENGTH = 16 * 1024;

/** Why a token is rejected. */
export type TokenFault =
  /** Not as it was given out, or signed with a key that is not known here. */
  | "damaged"
  /** Made by another version of this library. */
  | "version"
  /** Of another feed. */
  | "foreign";

/**
 * Signs resume tokens and reads them: a version, the feed, the keys of the items that its holder has, and an
 * HMAC-SHA-256 cut to 128 bits, in base64url. A token says what was delivered and gives no access to
 * anything; who has it can read the ids.
 */
export class ResumeTokens {
  private readonly keys: readonly Buffer[];

  /** @param keys the first one signs, all of them verify; at least one */
  constructor(keys: ReadonlyArray<string | Secret>) {
    // of the same length whatever is configured, and of no use for anything else
    this.keys = keys.map((key) =>
      createHmac("sha256", Secret.of(key).reveal()).update("connect-rest resume tokens").digest(),
    );
  }

  /**
   * @param feed what tells the feed from others
   * @param more what another token of its holder has beside the keys
   */
  write(feed: string, keys: Iterable<string>, more?: TokenIds): string {
    const body = Buffer.concat([Buffer.of(VERSION), feedOf(feed), encodeTokenIds(keys, more)]);
    return Buffer.concat([body, macOf(this.signing, body)]).toString("base64url");
  }

  read(feed: string, token: string): TokenIds | TokenFault {
    if (token.length > MAX_LENGTH || !/^[\w-]+$/.test(token)) return "damaged";
    const bytes = Buffer.from(token, "base64url");
    // one spelling for each token: the last character may have bits that decoding ignores
    if (bytes.toString("base64url") !== token || bytes.length < HEAD_BYTES + MAC_BYTES) return "damaged";
    const body = bytes.subarray(0, -MAC_BYTES);
    const mac = bytes.subarray(-MAC_BYTES);
    if (!this.keys.some((key) => timingSafeEqual(macOf(key, body), mac))) return "damaged";
    if (body[0] !== VERSION) return "version";
    if (!body.subarray(1, HEAD_BYTES).equals(feedOf(feed))) return "foreign";
    return decodeTokenIds(body.subarray(HEAD_BYTES));
  }

  /** A keyed hash of a text, for names that must not say what they stand for. */
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
