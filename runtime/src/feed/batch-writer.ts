import { toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { BatchFields } from "../adapter/adapter.ts";
import { type Heartbeat, HeartbeatSchema } from "../gen/connectrest/v1/feed_pb.ts";
import type { FeedItem } from "./bus-entry.ts";
import type { TokenIds } from "./token-ids.ts";

/** The maximum number of items in a batch. */
const MAX_ITEMS = 100;
/** The size, in bytes, at which a batch accepts no more items. */
const MAX_BYTES = 256 * 1024;

/**
 * A message of a watched feed. The message is encoded once for all watchers, when the first of them reads it.
 */
export class Batch {
  /** The resume token of the message. */
  readonly token: string;
  /** The approximate size of the message in bytes. */
  readonly size: number;
  private write: (() => Uint8Array<ArrayBuffer>) | undefined;
  private written: Uint8Array<ArrayBuffer> | undefined;

  constructor(token: string, size: number, write: () => Uint8Array<ArrayBuffer>) {
    this.token = token;
    this.size = size;
    this.write = write;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    const bytes = this.written ?? this.write?.() ?? new Uint8Array();
    this.written = bytes;
    // allow the items to be garbage collected
    this.write = undefined;
    return bytes;
  }
}

/** The properties of a message other than its items. */
interface BatchHead {
  readonly token: string;
  readonly late?: boolean;
  readonly gap?: boolean;
  readonly heartbeat?: Heartbeat;
}

/**
 * Creates a token from the keys that a feed has seen and the keys that it has yet to discover (`ahead`),
 * without the keys of items in later messages (`pending`).
 */
export type TokenWriter = (ahead?: TokenIds, pending?: ReadonlySet<string>) => string;

/** Writes the messages of a feed. Each message has a token for the position after it. */
export class BatchWriter {
  /** Creates the token of the feed's current position. */
  readonly token: TokenWriter;
  private readonly fields: BatchFields;

  constructor(fields: BatchFields, token: TokenWriter) {
    this.fields = fields;
    this.token = token;
  }

  /**
   * Returns items as messages, or one message without items if there are none.
   *
   * @param ahead keys of items that a watcher already has and the feed has not discovered
   */
  batches(items: readonly FeedItem[], gap: boolean, ahead?: TokenIds): readonly Batch[] {
    const groups = grouped(items);
    if (groups.length === 0) groups.push([]);
    const pending = new Set(items.map(({ key }) => key));
    return groups.map((group, index) => {
      for (const { key } of group) pending.delete(key);
      const token = this.token(ahead, pending);
      return this.batch(group, { token, late: group[0]?.late ?? false, gap: gap && index === 0 });
    });
  }

  /** Returns a message that reports no change. */
  heartbeat(token: string, heartbeat: Heartbeat): Batch {
    return this.batch([], { token, heartbeat });
  }

  /** Creates a message. It takes little memory until it is read, since it refers to the feed's items. */
  private batch(items: readonly FeedItem[], head: BatchHead): Batch {
    const size = items.reduce((sum, { bytes }) => sum + bytes.length, head.token.length);
    return new Batch(head.token, size, () => written(this.fields, items, head));
  }
}

/** Splits items into groups that fit into a message. A group has either only late items or no late items. */
function grouped(items: readonly FeedItem[]): FeedItem[][] {
  const groups: FeedItem[][] = [];
  let size = 0;
  for (const item of items) {
    const group = groups.at(-1);
    const fits = group !== undefined && group.length < MAX_ITEMS && size < MAX_BYTES;
    if (fits && group[0]?.late === item.late) {
      group.push(item);
      size += item.bytes.length;
    } else {
      groups.push([item]);
      size = item.bytes.length;
    }
  }
  return groups;
}

function written(fields: BatchFields, items: readonly FeedItem[], head: BatchHead): Uint8Array<ArrayBuffer> {
  const out = new BinaryWriter();
  for (const { bytes } of items) out.tag(fields.items, WireType.LengthDelimited).bytes(bytes);
  out.tag(fields.token, WireType.LengthDelimited).string(head.token);
  if (head.late === true && fields.late !== undefined) out.tag(fields.late, WireType.Varint).bool(true);
  if (head.gap === true && fields.gap !== undefined) out.tag(fields.gap, WireType.Varint).bool(true);
  if (head.heartbeat !== undefined && fields.heartbeat !== undefined) {
    out.tag(fields.heartbeat, WireType.LengthDelimited).bytes(toBinary(HeartbeatSchema, head.heartbeat));
  }
  return out.finish();
}
