/** Reads response bodies: the payload and the envelope around it. */
import { byte, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE, space } from "./bytes";
import { beginDepth } from "./depth";
import { object } from "./message";
import { integer, magnitude, negative } from "./number";
import { enter, leave } from "./report";
import { skip } from "./skip";
import { isLoose, unnamed, value } from "./value";

/** The position of the list in a page. */
export let pageAt: usize = 0;
export let pageEnd: usize = 0;

let isPayloadFound = false;
let checksStatus = false;

/** Reads a body, described by its root field. Returns 0 on failure, also if the body has no payload. */
export function body(root: usize, at: usize, withStatus: bool): usize {
  isPayloadFound = false;
  checksStatus = withStatus;
  beginDepth();
  const end = value(root, at);
  return isPayloadFound ? end : 0;
}

export function payload(field: usize, argument: usize, at: usize): usize {
  isPayloadFound = true;
  const c = byte(at);
  // a loose payload is a single field; the scanner reads it only from an object or an array
  if (isLoose(field)) return c === OPEN_BRACE || c === OPEN_BRACKET ? unnamed(argument, at) : 0;
  return c === OPEN_BRACE ? object(argument, at) : 0;
}

export function status(at: usize): usize {
  const end = integer(at);
  const isExpected = checksStatus ? magnitude === 200 : magnitude >= 200 && magnitude <= 599;
  return isExpected && !negative ? end : 0;
}

/** Reads a value that means "no errors"; the decoder handles any other value. */
export function errors(at: usize): usize {
  const c = byte(at);
  if (c === 0x66) return skip(at);
  const end = space(at + 1);
  const isEmpty =
    (c === OPEN_BRACE && byte(end) === CLOSE_BRACE) ||
    (c === OPEN_BRACKET && byte(end) === CLOSE_BRACKET) ||
    (c === QUOTE && byte(at + 1) === QUOTE);
  if (!isEmpty) return 0;
  return c === QUOTE ? at + 2 : end + 1;
}

/** Reads the items of a page as if they were a field of a message. */
export function page(items: usize, at: usize): usize {
  isPayloadFound = true;
  enter(0, items);
  const end = value(items, at);
  leave();
  pageAt = at;
  pageEnd = end;
  return end;
}
