import { toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { BatchFields } from "../adapter/adapter.ts";
import { type Heartbeat, HeartbeatSchema } from "../gen/connectrest/v1/feed_pb.ts";
import type { FeedItem } from "./bus-entry.ts";
import type { TokenIds } from "./token-ids.ts";

/** The most items of a batch. */
const MAX_ITEMS = 100;
/** The size, in bytes, from which on a batch takes no further item. */
const MAX_BYTES = 256 * 1024;

/** A message of a watched feed, encoded once for all who get it, when the first of them reads it. */
export class Batch {
  /** The resume token in it. */
  readonly token: string;
  /** About how many bytes it has. */
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
    // what it was made of is kept no longer
    this.write = undefined;
    return bytes;
  }
}

/** What a message says beside its items. */
interface BatchHead {
  readonly token: string;
  readonly late?: boolean;
  readonly gap?: boolean;
  readonly heartbeat?: Heartbeat;
}

/**
 * Makes a token of the keys that a feed has seen, but for those of items that come later, and of what is
 * ahead of it.
 */
export type TokenWriter = (ahead?: TokenIds, pending?: ReadonlySet<string>) => string;

/** Writes the messages of a feed, each with the token of where it leads. */
export class BatchWriter {
  /** The token of the position of the feed. */
  readonly token: TokenWriter;
  private readonly fields: BatchFields;

  constructor(fields: BatchFields, token: TokenWriter) {
    this.fields = fields;
    this.token = token;
  }

  /**
   * Items as messages; one without items where there are none.
   *
   * @param ahead what a watcher has and the feed does not know
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

  /** A message that says that nothing happens. */
  heartbeat(token: string, heartbeat: Heartbeat): Batch {
    return this.batch([], { token, heartbeat });
  }

  /** Until it is read a message costs little: its items belong to the feed. */
  private batch(items: readonly FeedItem[], head: BatchHead): Batch {
    const size = items.reduce((sum, { bytes }) => sum + bytes.length, head.token.length);
    return new Batch(head.token, size, () => written(this.fields, items, head));
  }
}

/** Items in groups: those in one are all late or none is, and few enough for a message. */
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
