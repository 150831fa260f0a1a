import { createHash } from "node:crypto";
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";

/** The maximum number of keys in a token. If a feed lists more items, the oldest may be delivered again. */
export const MAX_TOKEN_IDS = 1024;

const HASH_BYTES = 8;
const DECIMAL = /^(?:0|[1-9]\d{0,18})$/;

/** The keys of the items that the holder of a token already has. */
export class TokenIds {
  private readonly decimals: ReadonlySet<string>;
  private readonly hashes: ReadonlySet<string>;

  constructor(decimals: ReadonlySet<string>, hashes: ReadonlySet<string>) {
    this.decimals = decimals;
    this.hashes = hashes;
  }

  has(key: string): boolean {
    return DECIMAL.test(key) ? this.decimals.has(key) : this.hashes.size > 0 && this.hashes.has(hashOf(key));
  }

  get size(): number {
    return this.decimals.size + this.hashes.size;
  }

  /** Returns the keys without the given keys, or undefined if none remain. */
  without(keys: Iterable<string>): TokenIds | undefined {
    const decimals = new Set(this.decimals);
    const hashes = new Set(this.hashes);
    for (const key of keys) {
      if (DECIMAL.test(key)) {
        decimals.delete(key);
      } else if (hashes.size > 0) {
        hashes.delete(hashOf(key));
      }
    }
    return decimals.size + hashes.size === 0 ? undefined : new TokenIds(decimals, hashes);
  }

  /** Yields the keys in their encoded form. */
  *[Symbol.iterator](): Generator<bigint | Buffer, undefined> {
    for (const decimal of this.decimals) yield BigInt(decimal);
    for (const hash of this.hashes) yield Buffer.from(hash, "latin1");
    return undefined;
  }
}

/**
 * Encodes keys in a few bytes each. Decimal keys, the most common kind, are encoded as differences, and other
 * keys as 64-bit hashes. Keeps only the first `MAX_TOKEN_IDS` keys.
 *
 * @param more keys from another token
 */
export function encodeTokenIds(keys: Iterable<string>, more?: TokenIds): Uint8Array {
  const decimals = new Set<bigint>();
  const hashes = new Map<string, Buffer>();
  for (const each of encodable(keys, more)) {
    if (decimals.size + hashes.size >= MAX_TOKEN_IDS) break;
    if (typeof each === "bigint") {
      decimals.add(each);
    } else {
      hashes.set(each.toString("latin1"), each);
    }
  }
  return written([...decimals], [...hashes.values()]);
}

function* encodable(
  keys: Iterable<string>,
  more: TokenIds | undefined,
): Generator<bigint | Buffer, undefined> {
  for (const key of keys) yield DECIMAL.test(key) ? BigInt(key) : digestOf(key);
  if (more !== undefined) yield* more;
  return undefined;
}

function written(decimals: bigint[], hashes: readonly Buffer[]): Uint8Array {
  decimals.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const out = new BinaryWriter().uint32(decimals.length);
  let before = 0n;
  for (const decimal of decimals) {
    out.uint64(decimal - before);
    before = decimal;
  }
  return out.raw(Buffer.concat(hashes)).finish();
}

/** Decodes the output of `encodeTokenIds`. The caller has verified the signature of the bytes. */
export function decodeTokenIds(bytes: Uint8Array): TokenIds {
  const reader = new BinaryReader(bytes);
  const decimals = new Set<string>();
  let before = 0n;
  for (let left = reader.uint32(); left > 0; left--) {
    before += BigInt(reader.uint64());
    decimals.add(String(before));
  }
  const hashes = new Set<string>();
  for (let at = reader.pos; at < bytes.length; at += HASH_BYTES) {
    hashes.add(Buffer.from(bytes.subarray(at, at + HASH_BYTES)).toString("latin1"));
  }
  return new TokenIds(decimals, hashes);
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest().subarray(0, HASH_BYTES);
}

function hashOf(key: string): string {
  return digestOf(key).toString("latin1");
}
