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

/** A body as it was read. */
export interface Body {
  /** The parsed body; undefined when it is empty, and where it is not JSON or a form by its encoding. */
  readonly value: JsonValue | undefined;
  /** The same with integers beyond 2^53 as bigint. */
  exactly(): JsonValue | undefined;
  /** The same with every number as it is written; undefined where `value` has them all so. */
  verbatim(): JsonValue | undefined;
  /** The body as it came, where it is not JSON or a form. */
  readonly bytes: Uint8Array | undefined;
  /** The body is text with bytes that are not UTF-8; each was read as U+FFFD. */
  readonly malformed: boolean;
  /** The body was a form: its values are all text, whatever they stand for. */
  readonly textual: boolean;
  /** Only of a large body, which was read in pieces. */
  readonly inPieces?: PiecewiseBody;
}

/** What else there is of a large body. */
export interface PiecewiseBody {
  /**
   * Runs a function that may call `exactly`. Where it does, the body is parsed in pieces,
   * and the function begins again.
   */
  asking<T>(act: () => T): Work<T>;
  /** `verbatim`, in pieces. */
  verbatim(): Work<JsonValue | undefined>;
}

/** No body. */
export const EMPTY_BODY: Body = {
  value: undefined,
  exactly: () => undefined,
  verbatim: () => undefined,
  bytes: undefined,
  malformed: false,
  textual: false,
};

/**
 * Reads a body by the response encoding of the method. With `by_content_type` it is JSON, a form or bytes as
 * the Content-Type says; without one it is JSON if it parses, else bytes. With `json_or_form` it is JSON
 * unless the Content-Type says that it is a form.
 *
 * @param maxCost what it may cost to read (see `checkJsonCost`)
 * @throws SyntaxError when it has to be JSON and is not; TooCostly
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

/** Whether a body is JSON in UTF-8, as JSON has to be, whatever else its Content-Type could say. */
export function isPlainJson(encoding: ResponseEncoding, contentType: string | undefined): boolean {
  return chosen(encoding, contentType) === "json" && !isForeign(contentType);
}

/** Larger bodies are read in pieces, so that others have their turn. */
const LARGE_BYTES = 64 * 1024;

/** Whether a body is to be read by `readBodyInPieces`. */
export function isLarge(bytes: Uint8Array): boolean {
  return bytes.length > LARGE_BYTES;
}

/** Like `readBody`, in pieces. */
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

/** A body as text, in the charset of its Content-Type or UTF-8. Bytes that are no text become U+FFFD. */
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

/** A body as text, and whether it has bytes that are not UTF-8. */
interface BodyText extends Pick<Body, "malformed"> {
  readonly text: string;
}

function wholeText(bytes: Uint8Array, contentType: string | undefined): BodyText {
  const foreign = foreignText(bytes, contentType);
  const text = foreign ?? utf8(bytes);
  // the text is asked first: for most bodies, one byte a character, that costs nothing
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

/** Thrown where a large body is asked for with exact integers that has not been parsed so. */
class NotYetExact extends Error {}

/** A large body with exact integers. */
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

/** Forms have no numbers. */
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

/** A pair of a form costs as much as two values of JSON and the object that they make. */
const PAIR_COST = 5;

/** @throws TooCostly */
function checkFormCost(text: string, limit: number): void {
  // each pair has a character at least
  if (text.length * PAIR_COST <= limit) return;
  let cost = PAIR_COST;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    cost += PAIR_COST;
    if (cost > limit) throw new TooCostly(`more than ${limit}`);
  }
}
