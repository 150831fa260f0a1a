import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code } from "@connectrpc/connect";
import type { FeedEntryKind } from "../call/feed-bus.ts";
import { MAX_KEY_LENGTH } from "../response/item-key.ts";
import { MAX_INTERVAL_MS } from "./poll-interval.ts";

/** One item of a feed. */
export interface FeedItem {
  /** The unique key of the item. */
  readonly key: string;
  /** The item as an encoded message. */
  readonly bytes: Uint8Array;
  /** Whether the item first appeared below items that were already listed. */
  readonly late: boolean;
}

/** The result of a poll, for the watchers in this process and in other processes. */
export interface FeedEntry {
  readonly kind: FeedEntryKind;
  /** The time at which the poll ended, in milliseconds since 1970. */
  readonly polledAt: number;
  /** The poll interval that the upstream requests. */
  readonly intervalMs: number;
  /** Whether more items were added than the feed holds. */
  readonly gap: boolean;
  /** Whether items may have been missed, because the list has reached its maximum length. */
  readonly full: boolean;
  /** If some pages could not be read, the number of newest listed keys that are known to have no gap. */
  readonly reach?: number | undefined;
  /** The wait before the next poll in milliseconds, if longer than the interval. */
  readonly waitMs?: number | undefined;
  /** The error that prevents reading the feed or a page of it. */
  readonly failure?: EntryFailure | undefined;
  /**
   * In a `news` entry, the items that are new or have returned. In a `window` entry, all items. Oldest first.
   */
  readonly items: readonly FeedItem[];
  /** The keys of all items that the feed lists now, newest first. Empty in a `poll` entry. */
  readonly listed: readonly string[];
}

/** An error without its message, which may contain secrets of the request. */
export interface EntryFailure {
  readonly code: Code;
  readonly reason: string;
}

/** Thrown for an invalid entry. `message` describes the problem. */
export class FeedEntryInvalid extends Error {}

const VERSION = 1;
/** The maximum size of an entry, in bytes. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;
const MAX_ITEMS = 10_000;
/**
 * The maximum number of fields in an entry. Every item and every key is a field; all other fields occur once.
 */
const MAX_FIELDS = 2 * MAX_ITEMS + 100;

const KINDS: readonly FeedEntryKind[] = ["window", "news", "poll"];

const FIELD = {
  version: 1,
  kind: 2,
  polledAt: 3,
  intervalMs: 4,
  gap: 5,
  items: 6,
  listed: 7,
  full: 8,
  reach: 9,
  waitMs: 10,
  failureCode: 11,
  failureReason: 12,
} as const;
const ITEM = { key: 1, bytes: 2, late: 3 } as const;

/** Encodes an entry in the protobuf wire format. */
export function encodeFeedEntry(entry: FeedEntry): Uint8Array<ArrayBuffer> {
  const out = new BinaryWriter();
  out.tag(FIELD.version, WireType.Varint).uint32(VERSION);
  out.tag(FIELD.kind, WireType.Varint).uint32(KINDS.indexOf(entry.kind) + 1);
  out.tag(FIELD.polledAt, WireType.Varint).uint64(Math.max(0, Math.round(entry.polledAt)));
  out.tag(FIELD.intervalMs, WireType.Varint).uint64(Math.max(0, Math.round(entry.intervalMs)));
  out.tag(FIELD.gap, WireType.Varint).bool(entry.gap);
  out.tag(FIELD.full, WireType.Varint).bool(entry.full);
  if (entry.reach !== undefined) out.tag(FIELD.reach, WireType.Varint).uint32(entry.reach);
  if (entry.waitMs !== undefined) out.tag(FIELD.waitMs, WireType.Varint).uint64(Math.round(entry.waitMs));
  if (entry.failure !== undefined) {
    out.tag(FIELD.failureCode, WireType.Varint).uint32(entry.failure.code);
    out
      .tag(FIELD.failureReason, WireType.LengthDelimited)
      .string(entry.failure.reason.slice(0, MAX_KEY_LENGTH));
  }
  for (const { key, bytes, late } of entry.items) {
    out.tag(FIELD.items, WireType.LengthDelimited).fork();
    out.tag(ITEM.key, WireType.LengthDelimited).string(key);
    out.tag(ITEM.bytes, WireType.LengthDelimited).bytes(bytes);
    out.tag(ITEM.late, WireType.Varint).bool(late).join();
  }
  for (const key of entry.listed) out.tag(FIELD.listed, WireType.LengthDelimited).string(key);
  return out.finish();
}

/**
 * Decodes an entry from an untrusted source.
 *
 * @throws FeedEntryInvalid for bytes that `encodeFeedEntry` cannot have written
 */
export function decodeFeedEntry(bytes: Uint8Array): FeedEntry {
  if (bytes.length > MAX_ENTRY_BYTES) throw new FeedEntryInvalid(`${bytes.length} bytes`);
  try {
    return readEntry(new BinaryReader(bytes));
  } catch (cause) {
    if (cause instanceof FeedEntryInvalid) throw cause;
    throw new FeedEntryInvalid("bytes that are no message", { cause });
  }
}

/** An entry that is being decoded. */
type OpenEntry = { -readonly [K in keyof FeedEntry]?: FeedEntry[K] | undefined } & {
  readonly items: FeedItem[];
  readonly listed: string[];
};

function readEntry(reader: BinaryReader): FeedEntry {
  const entry: OpenEntry = { items: [], listed: [] };
  let [version, fields] = [0, 0];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    bounded("fields", ++fields, MAX_FIELDS);
    if (field === FIELD.version) {
      version = expect(wireType, WireType.Varint) && reader.uint32();
      continue;
    }
    // the version is the first field, since the format of other versions is unknown
    if (version !== VERSION) throw new FeedEntryInvalid(`version ${version}`);
    readField(entry, field, wireType, reader);
  }
  const { kind, polledAt, intervalMs, gap = false, full = false, items, listed } = entry;
  if (kind === undefined) throw new FeedEntryInvalid("no kind");
  if (polledAt === undefined || intervalMs === undefined) throw new FeedEntryInvalid("no time of a poll");
  if (kind === "poll" && items.length + listed.length > 0) throw new FeedEntryInvalid("a poll with items");
  return { ...entry, kind, polledAt, intervalMs, gap, full, items, listed };
}

function readField(entry: OpenEntry, field: number, wireType: WireType, reader: BinaryReader): void {
  const varint = (what: string, most: number) => {
    expect(wireType, WireType.Varint);
    return bounded(what, Number(reader.uint64()), most);
  };
  switch (field) {
    case FIELD.kind:
      entry.kind = KINDS[varint("a kind", KINDS.length) - 1];
      break;
    case FIELD.polledAt:
      entry.polledAt = varint("a time", 8.64e15);
      break;
    case FIELD.intervalMs:
      entry.intervalMs = varint("an interval", MAX_INTERVAL_MS);
      break;
    case FIELD.gap:
      entry.gap = varint("a truth value", 1) === 1;
      break;
    case FIELD.full:
      entry.full = varint("a truth value", 1) === 1;
      break;
    case FIELD.reach:
      entry.reach = varint("a reach", MAX_ITEMS);
      break;
    case FIELD.waitMs:
      entry.waitMs = varint("a wait", MAX_INTERVAL_MS);
      break;
    case FIELD.failureCode:
      entry.failure = { code: varint("a code", Code.Unauthenticated), reason: "" };
      break;
    case FIELD.failureReason:
      entry.failure = { code: Code.Unknown, ...entry.failure, reason: keyOf(reader, wireType) };
      break;
    case FIELD.items:
      entry.items.push(readItem(inner(reader, wireType)));
      bounded("items", entry.items.length, MAX_ITEMS);
      break;
    case FIELD.listed:
      entry.listed.push(keyOf(reader, wireType));
      bounded("keys", entry.listed.length, MAX_ITEMS);
      break;
    default:
      throw new FeedEntryInvalid(`field ${field}`);
  }
}

function readItem(reader: BinaryReader): FeedItem {
  let [key, late, fields] = ["", false, 0];
  let bytes: Uint8Array = new Uint8Array();
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    bounded("fields of an item", ++fields, 3);
    switch (field) {
      case ITEM.key:
        key = keyOf(reader, wireType);
        break;
      case ITEM.bytes:
        expect(wireType, WireType.LengthDelimited);
        // a copy, so that the item does not keep the whole entry in memory
        bytes = reader.bytes().slice();
        break;
      case ITEM.late:
        expect(wireType, WireType.Varint);
        late = reader.bool();
        break;
      default:
        throw new FeedEntryInvalid(`field ${field} of an item`);
    }
  }
  if (key === "") throw new FeedEntryInvalid("an item without a key");
  return { key, bytes, late };
}

function inner(reader: BinaryReader, wireType: WireType): BinaryReader {
  expect(wireType, WireType.LengthDelimited);
  return new BinaryReader(reader.bytes());
}

function keyOf(reader: BinaryReader, wireType: WireType): string {
  expect(wireType, WireType.LengthDelimited);
  const key = reader.string();
  bounded("characters", key.length, MAX_KEY_LENGTH);
  if (key === "") throw new FeedEntryInvalid("an empty key");
  return key;
}

function expect(got: WireType, wanted: WireType): number {
  if (got !== wanted) throw new FeedEntryInvalid("a field of another type");
  return 1;
}

function bounded(what: string, value: number, most: number): number {
  if (value <= most) return value;
  throw new FeedEntryInvalid(`${what}: more than ${most}`);
}
