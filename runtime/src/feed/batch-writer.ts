import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { BatchFields } from "../adapter/adapter.ts";
import { HeartbeatSchema } from "../gen/connectrest/v1/feed_pb.ts";
import type { FeedItem } from "./bus-entry.ts";

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
export interface BatchHead {
  readonly token: string;
  readonly late?: boolean;
  readonly gap?: boolean;
  readonly heartbeat?: Heartbeat;
}

/** A `connectrest.v1.Heartbeat`. */
export interface Heartbeat {
  /** Milliseconds since 1970; undefined where another process polls. */
  readonly nextPollAt: number | undefined;
  /** The error that polls end with at the moment. */
  readonly failure: { readonly code: number; readonly reason: string; readonly message: string } | undefined;
}

/** Items in batches: those in one are all late or none is, and few enough for a message. */
export function batchesOf(items: readonly FeedItem[]): FeedItem[][] {
  const batches: FeedItem[][] = [];
  let size = 0;
  for (const item of items) {
    const batch = batches.at(-1);
    const fits = batch !== undefined && batch.length < MAX_ITEMS && size < MAX_BYTES;
    if (fits && batch[0]?.late === item.late) {
      batch.push(item);
      size += item.bytes.length;
    } else {
      batches.push([item]);
      size = item.bytes.length;
    }
  }
  return batches;
}

/** A message of a feed. Until it is read it costs little: its items belong to the feed. */
export function writeBatch(fields: BatchFields, items: readonly FeedItem[], head: BatchHead): Batch {
  const size = items.reduce((sum, { bytes }) => sum + bytes.length, head.token.length);
  return new Batch(head.token, size, () => written(fields, items, head));
}

function written(fields: BatchFields, items: readonly FeedItem[], head: BatchHead): Uint8Array<ArrayBuffer> {
  const out = new BinaryWriter();
  for (const { bytes } of items) out.tag(fields.items, WireType.LengthDelimited).bytes(bytes);
  out.tag(fields.token, WireType.LengthDelimited).string(head.token);
  if (head.late === true && fields.late !== undefined) out.tag(fields.late, WireType.Varint).bool(true);
  if (head.gap === true && fields.gap !== undefined) out.tag(fields.gap, WireType.Varint).bool(true);
  if (head.heartbeat !== undefined && fields.heartbeat !== undefined) {
    out.tag(fields.heartbeat, WireType.LengthDelimited).bytes(writeHeartbeat(head.heartbeat));
  }
  return out.finish();
}

function writeHeartbeat({ nextPollAt, failure }: Heartbeat): Uint8Array {
  return toBinary(
    HeartbeatSchema,
    create(HeartbeatSchema, {
      ...(nextPollAt !== undefined && { nextPollTime: timestampFromMs(Math.round(nextPollAt)) }),
      ...(failure !== undefined && { failure }),
    }),
  );
}
