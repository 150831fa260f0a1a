/**
 * Writes messages in parts: large content is first omitted, as a hole, and written later. Joining the parts
 * gives the same bytes and differences as writing the message in one step.
 */
import {
  DIFFERENCE_CLASSES,
  type Difference,
  type DifferenceCounts,
  type FoundDifferences,
  NO_DIFFERENCES,
} from "./difference.ts";

/** The maximum number of differences kept for each class. */
export const MAX_KEPT = 100;
/** The number of parts joined before yielding to other work. */
const PARTS_AT_ONCE = 4096;

const NOTHING: Uint8Array<ArrayBuffer> = new Uint8Array(0);

/** A position at which content is written later. */
export type Hole = {
  at: number;
  /** Whether the surrounding content was discarded: the content of the hole is then read, but not written. */
  isVoid: boolean;
  /** The number of differences in the segment before the hole. */
  readonly differences: number;
  /** The content, set when the hole is filled. */
  readonly content: Segment[];
};

/** Length-prefixed content: the position of the length, and the start and end of the content. */
export type Frame = {
  start: number;
  body: number;
  end: number;
  /** The number of holes when the frame ended. Later holes are outside the frame, even a hole at `end`. */
  readonly holes: number;
};

/** A part of a message. */
export interface Segment {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly holes: readonly Hole[];
  readonly frames: readonly Frame[];
  readonly differences: readonly Difference[];
  readonly counts: DifferenceCounts;
}

/** Joins a segment with the content of its holes. */
export function* joined(segment: Segment): Generator<number, Uint8Array<ArrayBuffer>, undefined> {
  if (segment.holes.length === 0) return segment.bytes;
  const parts: Uint8Array[] = [];
  const length = new Joiner(segment, parts).length;
  yield PARTS_AT_ONCE;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Uint8Array;
    bytes.set(part, at);
    at += part.length;
    if (index % PARTS_AT_ONCE === PARTS_AT_ONCE - 1) yield PARTS_AT_ONCE;
  }
  return bytes;
}

/** Joins one segment in parts. */
class Joiner {
  /** The length in bytes, including the content of the holes. */
  readonly length: number;
  private readonly segment: Segment;
  private readonly frames: readonly Frame[];
  private readonly parts: Uint8Array[];
  private from = 0;
  private hole = 0;
  private frame = 0;

  constructor(segment: Segment, parts: Uint8Array[]) {
    this.segment = segment;
    // sort outer frames before inner frames
    this.frames = segment.frames.toSorted((a, b) => a.start - b.start);
    this.parts = parts;
    this.length = this.region(segment.bytes.length, segment.holes.length);
  }

  /**
   * Adds the bytes up to `end`, and the holes whose index is below `holes`. Returns the number of bytes
   * added.
   */
  private region(end: number, holes: number): number {
    let length = 0;
    for (;;) {
      const hole = this.hole < holes ? this.segment.holes[this.hole] : undefined;
      const next = this.frames[this.frame];
      const frame = next !== undefined && next.start < end ? next : undefined;
      if (hole !== undefined && (frame === undefined || hole.at <= frame.start)) {
        length += this.upTo(hole.at) + this.contentOf(hole);
      } else if (frame !== undefined) {
        length += this.upTo(frame.start) + this.framed(frame);
      } else {
        return length + this.upTo(end);
      }
    }
  }

  private upTo(end: number): number {
    const { from } = this;
    if (end > from) this.parts.push(this.segment.bytes.subarray(from, end));
    this.from = end;
    return end - from;
  }

  private contentOf({ isVoid, content }: Hole): number {
    this.hole++;
    if (isVoid) return 0;
    return content.reduce((sum, segment) => sum + new Joiner(segment, this.parts).length, 0);
  }

  private framed({ body, end, holes }: Frame): number {
    this.frame++;
    const place = this.parts.push(NOTHING) - 1;
    this.from = body;
    const length = this.region(end, holes);
    const prefix = varint(length);
    this.parts[place] = prefix;
    return prefix.length + length;
  }
}

/** Joins segments in sequence. */
export function sequence(segments: readonly Segment[]): Segment {
  const holes = segments.map((segment) => ({ at: 0, isVoid: false, differences: 0, content: [segment] }));
  const counts = { additional: 0, converted: 0, lost: 0 };
  return { bytes: NOTHING, holes, frames: [], differences: [], counts };
}

/**
 * Returns the differences in a segment and its holes, in the order in which a single writer would have found
 * them.
 */
export function joinedDifferences(segment: Segment): FoundDifferences {
  const list: Difference[] = [];
  const counts = { additional: 0, converted: 0, lost: 0 };
  const kept = { additional: 0, converted: 0, lost: 0 };
  const visit = ({ differences, holes, counts: own }: Segment): void => {
    let from = 0;
    const upTo = (end: number) => {
      for (; from < end; from++) {
        const difference = differences[from] as Difference;
        if (++kept[difference.class] <= MAX_KEPT) list.push(difference);
      }
    };
    for (const hole of holes) {
      upTo(hole.differences);
      hole.content.forEach(visit);
    }
    upTo(differences.length);
    for (const each of DIFFERENCE_CLASSES) counts[each] += own[each];
  };
  visit(segment);
  return list.length === 0 ? NO_DIFFERENCES : { list, counts };
}

function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(varintSize(value));
  let rest = value;
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = (rest & 127) | (index < bytes.length - 1 ? 128 : 0);
    rest >>>= 7;
  }
  return bytes;
}

/** Returns the number of bytes that a varint takes. */
export function varintSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}
