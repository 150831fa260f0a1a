import type { Work } from "../time/work.ts";
import type { JsonValue } from "./json.ts";
import { skipSpace } from "./json-text.ts";

const PIECE = 16 * 1024;
/** The number of pieces above which a string is split: shorter strings are parsed in one step. */
const PIECES_OF_STRING = 4;
/** The maximum number of nested arrays and objects opened in one step. */
const STARTS_AT_ONCE = 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Parses a complete JSON document. */
export type ParsePiece = (text: string) => JsonValue;

type List = JsonValue[];
type Entries = Record<string, JsonValue>;

/** An array or object that is assembled from pieces. */
type Open = {
  readonly value: List | Entries;
  isEmpty: boolean;
};

/**
 * Parses JSON like `parse`, with the same result, but in pieces. A run of a few thousand characters within an
 * array or object is parsed as a separate array or object, whose elements are then added to the container.
 * This function only finds where elements end; `parse` does everything else, including the detection of
 * invalid JSON.
 *
 * @param piece the number of characters parsed in one step; up to twice as many if an element begins before
 *   the limit
 * @throws SyntaxError
 */
export function* parseInPieces(text: string, parse: ParsePiece, piece: number = PIECE): Work<JsonValue> {
  return yield* new Assembly(text, parse, piece).run();
}

/**
 * The start of an array or object, and the string before it, which is the key if the container is an object.
 */
interface Start {
  readonly at: number;
  readonly keyStart: number;
  readonly keyEnd: number;
}

class Assembly {
  private readonly text: string;
  private readonly parse: ParsePiece;
  private readonly piece: number;
  private readonly longString: number;
  private readonly open: Open[] = [];
  /**
   * The start of the next run of elements to parse: after a bracket, or after an element of the innermost
   * container in `open`.
   */
  private from = 0;
  /** The arrays and objects that begin in the run, each nested in the previous one. */
  private readonly starts: Start[] = [];
  /** The most recent string, which may be the key of the next value. */
  private keyStart = 0;
  private keyEnd = 0;

  constructor(text: string, parse: ParsePiece, piece: number) {
    this.text = text;
    this.parse = parse;
    this.piece = piece;
    this.longString = piece * PIECES_OF_STRING;
  }

  *run(): Work<JsonValue> {
    const { text } = this;
    const start = skipSpace(text, 0);
    const first = text.charCodeAt(start);
    if (first !== OPEN_BRACKET && first !== OPEN_BRACE) return yield* this.scalar(start);
    const root = opened(first);
    this.open.push(root);
    this.from = start + 1;
    const end = yield* this.elements(start + 1);
    if (skipSpace(text, end) < text.length) throw new SyntaxError("more behind the JSON");
    return root.value;
  }

  /** Walks over all elements. Returns the end of the root. */
  private *elements(start: number): Work<number> {
    const { text, starts, piece } = this;
    let paused = start;
    for (let at = start; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        const end = yield* this.string(at);
        // the work on a long string is already counted
        if (end - at > this.longString) paused = end;
        at = end;
      } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
        starts.push(this.startAt(at++));
      } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
        if (starts.length === 0) {
          this.close(at, code);
          if (this.open.length === 0) return at + 1;
        } else {
          starts.pop();
        }
        at++;
      } else {
        if (code === COMMA && starts.length === 0 && at - this.from > piece) this.flush(at, false);
        at++;
      }
      if (at - this.from > 2 * piece && starts.length > 0) yield* this.deepen();
      if (at - paused > piece) {
        yield at - paused;
        paused = at;
      }
    }
    throw new SyntaxError("the JSON ends early");
  }

  /** Returns the position after a string. A long string that is not a key becomes a separate piece. */
  private *string(start: number): Work<number> {
    const { text } = this;
    const end = yield* endOfString(text, start + 1);
    if (end - start > this.longString && text.charCodeAt(skipSpace(text, end)) !== COLON) {
      yield* this.deepen();
      this.flush(start, true);
      this.add(yield* longString(text, start, end, this.longString), this.startAt(start));
      this.from = end;
    }
    this.keyStart = start;
    this.keyEnd = end;
    return end;
  }

  private startAt(at: number): Start {
    const { keyStart, keyEnd } = this;
    return { at, keyStart, keyEnd };
  }

  /** Opens the containers that begin in the run, so that they are also assembled from pieces. */
  private *deepen(): Work<void> {
    const { text, starts } = this;
    let count = 0;
    for (const start of starts) {
      this.flush(start.at, true);
      const child = opened(text.charCodeAt(start.at));
      this.add(child.value, start);
      this.open.push(child);
      this.from = start.at + 1;
      if (++count % STARTS_AT_ONCE === 0) yield STARTS_AT_ONCE;
    }
    starts.length = 0;
  }

  private close(at: number, code: number): void {
    const isArray = Array.isArray(this.innermost.value);
    if (isArray !== (code === CLOSE_BRACKET)) throw new SyntaxError("a bracket that closes another");
    this.flush(at, false);
    this.open.pop();
    this.from = at + 1;
  }

  /**
   * Parses the elements of the run, up to `end`.
   *
   * @param isFollowed whether another element begins at `end`; the element is added separately, but the run
   *   contains its comma or its key
   */
  private flush(end: number, isFollowed: boolean): void {
    const { text } = this;
    const container = this.innermost;
    let start = skipSpace(text, this.from);
    this.from = end;
    if (!container.isEmpty) {
      if (start >= end && !isFollowed) return;
      if (start >= end || text.charCodeAt(start) !== COMMA) throw new SyntaxError("no comma");
      start = skipSpace(text, start + 1);
      if (start >= end && !isFollowed) throw new SyntaxError("nothing behind a comma");
    }
    if (start >= end && (!isFollowed || Array.isArray(container.value))) return;
    container.isEmpty = false;
    // null is a placeholder for the element that is added separately
    const run = text.slice(start, end) + (isFollowed ? "null" : "");
    if (Array.isArray(container.value)) {
      const items = this.parse(`[${run}]`) as List;
      const count = isFollowed ? items.length - 1 : items.length;
      for (let index = 0; index < count; index++) container.value.push(items[index] as JsonValue);
    } else {
      const entries = this.parse(`{${run}}`) as Entries;
      for (const key of Object.keys(entries)) setOwn(container.value, key, entries[key] as JsonValue);
    }
  }

  /** Adds the element that follows a run. */
  private add(value: JsonValue, { keyStart, keyEnd }: Start): void {
    const container = this.innermost;
    container.isEmpty = false;
    if (Array.isArray(container.value)) {
      container.value.push(value);
    } else {
      // a string that is the whole document is not a key, and is parsed unchanged
      setOwn(container.value, JSON.parse(this.text.slice(keyStart, keyEnd)) as string, value);
    }
  }

  /** Parses a document whose root is neither an array nor an object. */
  private *scalar(start: number): Work<JsonValue> {
    const { text } = this;
    if (text.charCodeAt(start) !== QUOTE) return this.parse(text);
    const end = yield* endOfString(text, start + 1);
    if (skipSpace(text, end) < text.length) throw new SyntaxError("more behind the JSON");
    return yield* longString(text, start, end, this.longString);
  }

  private get innermost(): Open {
    const open = this.open.at(-1);
    if (open === undefined) throw new SyntaxError("more behind the JSON");
    return open;
  }
}

function opened(code: number): Open {
  return { value: code === OPEN_BRACKET ? [] : {}, isEmpty: true };
}

/** Sets a key like JSON.parse, which ignores setters of the prototype. */
function setOwn(object: Entries, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/**
 * Returns the position after the closing quote of a string; the end of the text if the string does not end.
 */
function* endOfString(text: string, start: number): Work<number> {
  const quote = text.indexOf('"', start);
  if (quote < 0) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  let paused = start;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
    if (at - paused > PIECE) {
      yield at - paused;
      paused = at;
    }
  }
  return text.length;
}

/** Parses the content of a string in pieces, without splitting an escape. */
function* longString(text: string, start: number, end: number, piece: number): Work<string> {
  if (text.charCodeAt(end - 1) !== QUOTE || end - start < 2) throw new SyntaxError("a string without an end");
  const pieces: string[] = [];
  let slash = text.indexOf("\\", start);
  for (let from = start + 1; from < end - 1; ) {
    let to = Math.min(from + piece, end - 1);
    // find the end of the last escape, such as `\n` or `\u00e9`
    while (slash >= 0 && slash < to) {
      const behind = slash + (text.charCodeAt(slash + 1) === LETTER_U ? 6 : 2);
      to = Math.max(to, Math.min(behind, end - 1));
      slash = text.indexOf("\\", behind);
    }
    pieces.push(JSON.parse(`"${text.slice(from, to)}"`) as string);
    yield to - from;
    from = to;
  }
  return pieces.join("");
}
