/** A message that is split where further bytes will be inserted. */
export interface Opened {
  /** The part before the split, with the final lengths of the enclosing messages. */
  readonly before: Uint8Array;
  readonly behind: Uint8Array;
}

interface Frame {
  /** The position of the length of a message, and the position of its content. */
  readonly lengthAt: number;
  readonly contentAt: number;
  readonly length: number;
}

/** Wire types (https://protobuf.dev/programming-guides/encoding/#structure). */
const [VARINT, BITS_64, DELIMITED, BITS_32] = [0, 1, 2, 5];

/**
 * Splits a message before one of its fields.
 *
 * @param tags the tags of the enclosing messages, outermost first, and of the field
 * @param more the number of bytes that will be inserted
 * @returns undefined if the message does not contain the field
 */
export function openedAt(bytes: Uint8Array, tags: readonly number[], more: number): Opened | undefined {
  const frames: Frame[] = [];
  let at = 0;
  let end = bytes.length;
  for (const [index, tag] of tags.entries()) {
    const field = fieldIn(bytes, tag, at, end);
    if (field === undefined) return undefined;
    if (index === tags.length - 1) {
      return { before: withLengths(bytes, frames, field.at, more), behind: bytes.subarray(field.at) };
    }
    const { value: length, end: contentAt } = varint(bytes, field.contentAt);
    frames.push({ lengthAt: field.contentAt, contentAt, length });
    at = contentAt;
    end = contentAt + length;
  }
  return undefined;
}

/** Returns the start of a message, with larger lengths for the messages that enclose `to`. */
function withLengths(bytes: Uint8Array, frames: readonly Frame[], to: number, more: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let growth = more;
  let end = to;
  for (const { lengthAt, contentAt, length } of frames.toReversed()) {
    const written = varintBytes(length + growth);
    parts.unshift(written, bytes.subarray(contentAt, end));
    growth += written.length - (contentAt - lengthAt);
    end = lengthAt;
  }
  return Buffer.concat([bytes.subarray(0, end), ...parts]);
}

/** Finds the first field with a tag, and the position after the tag. */
function fieldIn(
  bytes: Uint8Array,
  wanted: number,
  from: number,
  end: number,
): { readonly at: number; readonly contentAt: number } | undefined {
  for (let at = from; at < end; ) {
    const tag = varint(bytes, at);
    if (tag.value === wanted) return { at, contentAt: tag.end };
    at = behind(bytes, tag.value & 7, tag.end);
  }
  return undefined;
}

/** Returns the end of a value. */
function behind(bytes: Uint8Array, type: number, at: number): number {
  if (type === BITS_64) return at + 8;
  if (type === BITS_32) return at + 4;
  const { value, end } = varint(bytes, at);
  if (type === DELIMITED) return end + value;
  if (type === VARINT) return end;
  throw new Error(`a field of type ${type}`);
}

/** Reads a varint below 2^53, or skips a larger one. */
function varint(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = from, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end: at + 1 };
  }
}

function varintBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
