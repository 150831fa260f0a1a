/** A message that is cut in two where more of its bytes belong. */
export interface Opened {
  /** With the lengths that what is around the cut will have. */
  readonly before: Uint8Array;
  readonly behind: Uint8Array;
}

interface Frame {
  /** Where the length of a message is, and its content. */
  readonly lengthAt: number;
  readonly contentAt: number;
  readonly length: number;
}

/** Types of fields (https://protobuf.dev/programming-guides/encoding/#structure). */
const [VARINT, BITS_64, DELIMITED, BITS_32] = [0, 1, 2, 5];

/**
 * Cuts a message in front of a field in it.
 *
 * @param tags those of the messages around the field, from the outermost, and its own
 * @param more how many bytes will be put in
 * @returns undefined where there is no such field
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

/** The beginning of a message, with the lengths of those around `to` made larger. */
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

/** Where the first field with a tag is, and what is behind the tag. */
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

/** Where a value ends. */
function behind(bytes: Uint8Array, type: number, at: number): number {
  if (type === BITS_64) return at + 8;
  if (type === BITS_32) return at + 4;
  const { value, end } = varint(bytes, at);
  if (type === DELIMITED) return end + value;
  if (type === VARINT) return end;
  throw new Error(`a field of type ${type}`);
}

/** A number below 2^53, or the end of a larger one. */
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
