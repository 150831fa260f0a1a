import { isUtf8 } from "node:buffer";
import type { JsonValue, Work } from "connect-rest-codec/internal";
import {
  checkJsonCost,
  checkJsonCostInPieces,
  parseJson,
  parseJsonExactly,
  parseJsonExactlyInPieces,
  parseJsonInPieces,
  parseJsonVerbatim,
  parseJsonVerbatimInPieces,
  TooCostly,
} from "connect-rest-codec/internal";
import type { ResponseEncoding } from "../adapter/rules.ts";
import { foreignText, foreignTextInPieces, isForeign } from "./charset.ts";
import { type Form, readForm, readFormInPieces } from "./form.ts";

/** A body and its parsed values. */
export interface Body {
  /**
   * The parsed body. Undefined if it is empty, or neither JSON nor a form according to the response encoding.
   */
  readonly value: JsonValue | undefined;
  /** Returns the value with every number that a double does not hold as a bigint or a `NumberText`. */
  exactly(): JsonValue | undefined;
  /** Returns the value with every number as it was written, or undefined if `value` preserves all numbers. */
  verbatim(): JsonValue | undefined;
  /** The raw body, if it is neither JSON nor a form. */
  readonly bytes: Uint8Array | undefined;
  /** Whether the body is text with invalid UTF-8. Each invalid byte was replaced by U+FFFD. */
  readonly malformed: boolean;
  /** Whether the body was a form, in which all values are strings, even if they represent numbers. */
  readonly textual: boolean;
  /** Set only for a large body, which was read in pieces. */
  readonly inPieces?: PiecewiseBody;
}

/** The additional operations on a large body. */
export interface PiecewiseBody {
  /**
   * Runs a function that may call `exactly`. If it does, the body is parsed in pieces, and the function runs
   * again.
   */
  asking<T>(act: () => T): Work<T>;
  /** Like `verbatim`, but in pieces. */
  verbatim(): Work<JsonValue | undefined>;
}

/** The body of a response without a body. */
export const EMPTY_BODY: Body = {
  value: undefined,
  exactly: () => undefined,
  verbatim: () => undefined,
  bytes: undefined,
  malformed: false,
  textual: false,
};

/**
 * Reads a body by the response encoding of the method. With `by_content_type`, the Content-Type determines
 * whether it is JSON, a form or bytes; a body without a Content-Type is JSON if it can be parsed as JSON, and
 * otherwise bytes. With `json_or_form`, it is JSON unless the Content-Type declares a form.
 *
 * @param maxCost the maximum cost of reading (see `checkJsonCost`)
 * @throws SyntaxError if the body has to be JSON and is not; TooCostly
 */
export function readBody(
  bytes: Uint8Array,
  encoding: ResponseEncoding,
  contentType: string | undefined,
  maxCost: number = Number.POSITIVE_INFINITY,
): Body {
  switch (chosen(encoding, contentType)) {
    case "json":
      return jsonBody(bytes, contentType, maxCost);
    case "form":
      return formBody(bytes, contentType, maxCost);
    case "bytes":
      return { ...EMPTY_BODY, bytes };
    case "empty":
      return EMPTY_BODY;
    case "unknown":
      return jsonOrBytes(bytes, contentType, maxCost);
  }
}

/** Reports whether a body has to be JSON in UTF-8, the encoding that JSON requires. */
export function isPlainJson(encoding: ResponseEncoding, contentType: string | undefined): boolean {
  return chosen(encoding, contentType) === "json" && !isForeign(contentType);
}

/** The length in bytes above which bodies are read in pieces, so that other calls get a turn. */
const LARGE_BYTES = 64 * 1024;

/** Reports whether `readBodyInPieces` should read a body. */
export function isLarge(bytes: Uint8Array): boolean {
  return bytes.length > LARGE_BYTES;
}

/** Like `readBody`, but in pieces. */
export function* readBodyInPieces(
  bytes: Uint8Array,
  encoding: ResponseEncoding,
  contentType: string | undefined,
  maxCost: number = Number.POSITIVE_INFINITY,
): Work<Body> {
  switch (chosen(encoding, contentType)) {
    case "json":
      return yield* jsonInPieces(bytes, contentType, maxCost);
    case "form":
      return yield* formInPieces(bytes, contentType, maxCost);
    case "bytes":
      return { ...EMPTY_BODY, bytes };
    case "empty":
      return EMPTY_BODY;
    case "unknown":
      try {
        return yield* jsonInPieces(bytes, contentType, maxCost);
      } catch (error) {
        if (error instanceof TooCostly) throw error;
        return { ...EMPTY_BODY, bytes };
      }
  }
}

/** Decodes a body as text, in the charset of its Content-Type, or in UTF-8. Invalid bytes become U+FFFD. */
export function textOf(bytes: Uint8Array, contentType: string | undefined): string {
  return foreignText(bytes, contentType) ?? utf8(bytes);
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function jsonBody(bytes: Uint8Array, contentType: string | undefined, maxCost: number): Body {
  const { text, malformed } = wholeText(bytes, contentType);
  checkJsonCost(text, maxCost);
  return {
    value: parseJson(text),
    exactly: () => parseJsonExactly(text),
    verbatim: () => parseJsonVerbatim(text),
    bytes: undefined,
    malformed,
    textual: false,
  };
}

function formBody(bytes: Uint8Array, contentType: string | undefined, maxCost: number): Body {
  const { text, malformed } = wholeText(bytes, contentType);
  checkFormCost(text, maxCost);
  return formOf(readForm(text), malformed);
}

function formOf({ value, malformed }: Form, isMalformedText: boolean): Body {
  return {
    ...EMPTY_BODY,
    value,
    exactly: () => value,
    malformed: malformed || isMalformedText,
    textual: true,
  };
}

/** The text of a body, and whether it contained invalid UTF-8. */
interface BodyText extends Pick<Body, "malformed"> {
  readonly text: string;
}

function wholeText(bytes: Uint8Array, contentType: string | undefined): BodyText {
  const foreign = foreignText(bytes, contentType);
  const text = foreign ?? utf8(bytes);
  // checks the decoded text first, which is nearly free for one-byte strings, the usual kind
  return { text, malformed: foreign === undefined && text.includes("\ufffd") && !isUtf8(bytes) };
}

function* jsonInPieces(bytes: Uint8Array, contentType: string | undefined, maxCost: number): Work<Body> {
  const { text, malformed } = yield* textInPieces(bytes, contentType);
  yield* checkJsonCostInPieces(text, maxCost);
  const exact = new LargeExact(text);
  return {
    value: yield* parseJsonInPieces(text),
    exactly: () => exact.value(),
    verbatim: () => parseJsonVerbatim(text),
    bytes: undefined,
    malformed,
    textual: false,
    inPieces: {
      asking: (act) => exact.asking(act),
      verbatim: () => parseJsonVerbatimInPieces(text),
    },
  };
}

/** Thrown when exact integers are requested from a large body that has not been parsed exactly yet. */
class NotYetExact extends Error {}

/** Parses a large body with exact integers on request. */
class LargeExact {
  private readonly text: string;
  private parsed: { readonly value: JsonValue | undefined } | undefined;
  private isAsking = false;

  constructor(text: string) {
    this.text = text;
  }

  value(): JsonValue | undefined {
    if (this.parsed === undefined && this.isAsking) throw new NotYetExact();
    this.parsed ??= { value: parseJsonExactly(this.text) };
    return this.parsed.value;
  }

  *asking<T>(act: () => T): Work<T> {
    this.isAsking = this.parsed === undefined;
    try {
      return act();
    } catch (error) {
      if (!(error instanceof NotYetExact)) throw error;
    } finally {
      this.isAsking = false;
    }
    this.parsed = { value: yield* parseJsonExactlyInPieces(this.text) };
    return act();
  }
}

function* formInPieces(bytes: Uint8Array, contentType: string | undefined, maxCost: number): Work<Body> {
  const { text, malformed } = yield* textInPieces(bytes, contentType);
  checkFormCost(text, maxCost);
  return { ...formOf(yield* readFormInPieces(text), malformed), inPieces: FORM_IN_PIECES };
}

/** The additional operations on a form, which contains no numbers. */
const FORM_IN_PIECES: PiecewiseBody = {
  *asking(act) {
    yield 0;
    return act();
  },
  *verbatim() {
    yield 0;
    return undefined;
  },
};

function* textInPieces(bytes: Uint8Array, contentType: string | undefined): Work<BodyText> {
  const foreign = yield* foreignTextInPieces(bytes, contentType);
  if (foreign !== undefined) return { text: foreign, malformed: false };
  const text = utf8(bytes);
  yield bytes.length;
  return { text, malformed: text.includes("\ufffd") && !isUtf8(bytes) };
}

function jsonOrBytes(bytes: Uint8Array, contentType: string | undefined, maxCost: number): Body {
  try {
    return jsonBody(bytes, contentType, maxCost);
  } catch (error) {
    if (error instanceof TooCostly) throw error;
    return { ...EMPTY_BODY, bytes };
  }
}

function chosen(encoding: ResponseEncoding, contentType: string | undefined) {
  if (encoding === "by_content_type") return encodingOf(contentType);
  if (encoding !== "json_or_form") return encoding;
  return encodingOf(contentType) === "form" ? "form" : "json";
}

function encodingOf(contentType: string | undefined): "json" | "form" | "bytes" | "unknown" {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "") return "unknown";
  if (/^(application|text)\/([\w.-]+\+)?json$/.test(type)) return "json";
  return type === "application/x-www-form-urlencoded" ? "form" : "bytes";
}

/** The cost of a name-value pair of a form, which equals the cost of two JSON values and their object. */
const PAIR_COST = 5;

/** @throws TooCostly */
function checkFormCost(text: string, limit: number): void {
  // each pair has at least one character
  if (text.length * PAIR_COST <= limit) return;
  let cost = PAIR_COST;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    cost += PAIR_COST;
    if (cost > limit) throw new TooCostly(`more than ${limit}`);
  }
}
