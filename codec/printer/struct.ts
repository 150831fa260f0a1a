/** Prints google.protobuf.Struct, Value and ListValue. The constants are tags: field number and wire type. */
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, NULL, OPEN_BRACE, OPEN_BRACKET } from "./characters";
import { forget, remember } from "./keys";
import * as L from "./layout";
import { double } from "./number";
import { put, q, room, work, writeTo } from "./output";
import { flag, range } from "./scalars";
import { height, MAX_DEPTH } from "./stack";
import { end, fixed64, nextIs, p, tag, varint } from "./wire";

function expect(fieldTag: u32, limit: usize): void {
  if (!nextIs(fieldTag, limit)) unreachable();
}

export function struct(limit: usize, depth: i32): void {
  if (depth > MAX_DEPTH) unreachable();
  const first = height();
  const from = q;
  room(0);
  put(OPEN_BRACE);
  while (p < limit) {
    expect(0x0a, limit);
    const behind = end(limit);
    room(0);
    const keyFrom = q;
    range(L.KIND_TEXT, nextIs(0x0a, behind) ? end(behind) : p);
    remember(keyFrom, q, first);
    put(COLON);
    expect(0x12, behind);
    anyValue(end(behind), depth + 1);
    if (p !== behind) unreachable();
    put(COMMA);
  }
  close(from, limit, CLOSE_BRACE);
  forget(first);
}

export function listValue(limit: usize, depth: i32): void {
  if (depth > MAX_DEPTH) unreachable();
  const from = q;
  room(0);
  put(OPEN_BRACKET);
  while (p < limit) {
    expect(0x0a, limit);
    anyValue(end(limit), depth + 1);
    put(COMMA);
  }
  close(from, limit, CLOSE_BRACKET);
}

/**
 * Prints the closing bracket `c` of the object or array whose output starts at `from`, in place of a trailing
 * comma.
 */
function close(from: usize, limit: usize, c: u32): void {
  if (p !== limit) unreachable();
  room(0);
  if (q === from + 1) {
    put(c);
  } else {
    store<u8>(q - 1, c);
  }
}

/**
 * Prints a google.protobuf.Value. Traps for a Value with two kinds, and for a Value without a kind, which has
 * no JSON form.
 */
export function anyValue(limit: usize, depth: i32): void {
  if (depth > MAX_DEPTH || p >= limit) unreachable();
  work(1);
  room(0);
  switch (tag()) {
    case 0x08:
      varint();
      store<u32>(q, NULL);
      writeTo(q + 4);
      break;
    case 0x11: {
      const value = reinterpret<f64>(fixed64());
      if (!isFinite(value)) unreachable();
      double(value);
      break;
    }
    case 0x1a:
      range(L.KIND_TEXT, end(limit));
      break;
    case 0x20:
      flag(varint() !== 0);
      break;
    case 0x2a:
      struct(end(limit), depth + 1);
      break;
    case 0x32:
      listValue(end(limit), depth + 1);
      break;
    default:
      unreachable();
  }
  if (p !== limit) unreachable();
}
