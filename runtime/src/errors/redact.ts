import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { ConnectError } from "@connectrpc/connect";
import { knownTypes } from "connect-rest-codec/internal";
import { findSecrets } from "../text/find-secrets.ts";
import { safeText } from "../text/safe-text.ts";
import type { Secret } from "../text/secret.ts";
import { STANDARD_TYPES } from "./known-types.ts";
import { bytesTexts, leafTexts, numberTexts } from "./leaf-texts.ts";
import { leavesOf } from "./leaves.ts";
import type { ErrorDetail } from "./rest-error.ts";

const MAX_SHOWN = 500;

/**
 * The number of characters that are searched, as a multiple of the number that may be shown. More characters
 * are searched than shown, since escapes and blanks are dropped.
 */
const LOOKED_AT = 4;

/**
 * The number of characters that are searched after the part of a text that is shown: more than most notations
 * of a secret have. The beginning of a longer notation is found before the ellipsis.
 */
const LOOKAHEAD = 4096;

/** Replaces secrets in a text, in any notation, with `[secret]`. */
export function redactText(text: string, secrets: readonly Secret[]): string {
  return redactBeginning(text, secrets, text.length);
}

/**
 * Returns at least `length` characters from the beginning of a text, with `[secret]` in place of each secret.
 * A secret that extends beyond these characters is replaced as a whole, so that no part of it remains.
 */
export function redactBeginning(text: string, secrets: readonly Secret[], length: number): string {
  let clean = "";
  let at = 0;
  for (const [from, to] of findSecrets(beginningOf(text, length + LOOKAHEAD), secrets)) {
    if (from >= length) break;
    clean += `${text.slice(at, from)}[secret]`;
    at = to;
  }
  return clean + text.slice(at, Math.max(at, length));
}

/**
 * Returns the part of a peer's text that may be shown: sanitized, without the secrets, at most `max`
 * characters. Does not search the whole text.
 */
export function shownText(text: string, secrets: readonly Secret[], max: number = MAX_SHOWN): string {
  return safeText(redactBeginning(text, secrets, max * LOOKED_AT), max);
}

/** Replaces secrets in several texts. This is faster than replacing them in each text separately. */
export function redactTexts(texts: readonly string[], secrets: readonly Secret[]): string[] {
  const ranges = findSecrets(texts.join(BETWEEN), secrets);
  let [start, next] = [0, 0];
  return texts.map((text) => {
    let clean = "";
    let at = 0;
    for (; next < ranges.length; next++) {
      const [from = 0, to = 0] = (ranges[next] ?? []).map((place) => place - start);
      if (from >= text.length) break;
      if (to > at) clean += `${text.slice(at, Math.max(at, from))}[secret]`;
      at = Math.max(at, to);
      // a range may extend into the next text
      if (to > text.length) break;
    }
    start += text.length + BETWEEN.length;
    return clean + text.slice(at);
  });
}

/** Returns the beginning of a text, with an ellipsis if it was cut. */
function beginningOf(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Reports whether a text contains one of the secrets. */
export function holdsSecret(text: string, secrets: readonly Secret[]): boolean {
  return findSecrets(text, secrets).length > 0;
}

/** Separates strings that are searched together. The separator matches no secret and no word. */
const BETWEEN = "\n|\n";

/**
 * Replaces secrets in all strings of details, and in numbers of a google.protobuf.Struct. Omits a detail with
 * a secret in another value, which cannot be replaced by a string. The number of searches does not depend on
 * the number of details, since each search examines all secrets.
 */
export function redactDetails(details: readonly ErrorDetail[], secrets: readonly Secret[]): ErrorDetail[] {
  const held = holders(details, secrets);
  if (held.size === 0) return [...details];
  const jsons = new Map([...held].flatMap((detail) => jsonEntry(detail)));
  const replace = replacerOf([...jsons.values()], secrets);
  const clean = new Map(
    [...jsons].flatMap(([detail, json]) => cleanEntry(detail, replacedJson(json, replace))),
  );
  const unclean = holders([...clean.values()], secrets);
  return details.flatMap((detail) => {
    if (!held.has(detail)) return [detail];
    const redacted = clean.get(detail);
    return redacted === undefined || unclean.has(redacted) ? [] : [redacted];
  });
}

/** Returns the details that contain a secret, or whose content is unknown. */
function holders(details: readonly ErrorDetail[], secrets: readonly Secret[]): Set<ErrorDetail> {
  if (secrets.length === 0) return new Set();
  const texts = details.map((detail) => textsOf(detail)?.join(BETWEEN));
  const redacted = redactTexts(
    texts.map((text = "") => text),
    secrets,
  );
  return new Set(details.filter((_, at) => texts[at] === undefined || texts[at] !== redacted[at]));
}

/** Returns all texts of a detail; undefined if its value does not match its type. */
function textsOf(detail: ErrorDetail): string[] | undefined {
  if ("type" in detail) return bytesTexts(detail.value);
  try {
    const leaves = leavesOf(reflect(detail.desc, create(detail.desc, detail.value)));
    return leaves.flatMap(({ value }) => leafTexts(value));
  } catch {
    return undefined;
  }
}

function jsonEntry(detail: ErrorDetail): [ErrorDetail, JsonValue][] {
  if ("type" in detail) return [];
  try {
    const message = create(detail.desc, detail.value);
    return [[detail, toJson(detail.desc, message, { registry: knownTypes(STANDARD_TYPES) })]];
  } catch {
    return [];
  }
}

function cleanEntry(detail: ErrorDetail, json: JsonValue): [ErrorDetail, ErrorDetail][] {
  if ("type" in detail) return [];
  const { desc } = detail;
  try {
    return [[detail, { desc, value: fromJson(desc, json, { registry: knownTypes(STANDARD_TYPES) }) }]];
  } catch {
    return [];
  }
}

/** Returns the error without the secrets in its text, metadata, details, and cause, which is logged. */
export function redactError(error: ConnectError, secrets: readonly Secret[]): ConnectError {
  if (secrets.length === 0) return error;
  const text = redactText(error.rawMessage, secrets);
  const clean = new ConnectError(
    text,
    error.code,
    redactHeaders(error.metadata, secrets),
    undefined,
    redactCause(error.cause, secrets),
  );
  clean.details = redactDetails(error.details as ErrorDetail[], secrets) as typeof error.details;
  return clean;
}

function redactHeaders(headers: Headers, secrets: readonly Secret[]): Headers {
  const all = [...headers];
  const texts = redactTexts(all.flat(), secrets);
  const clean = new Headers();
  all.forEach(([name], at) => {
    if (texts[2 * at] === name) clean.append(name, texts[2 * at + 1] ?? "");
  });
  return clean;
}

function redactCause(cause: unknown, secrets: readonly Secret[]): unknown {
  if (!(cause instanceof Error)) return cause;
  const message = withoutExcerpt(cause);
  const clean = new Error(redactText(message, secrets));
  clean.name = cause.name;
  clean.stack = redactText(
    (cause.stack ?? "").replace(cause.message, () => message),
    secrets,
  );
  return clean;
}

/** Removes the excerpt that JSON.parse quotes in an error, since it may be part of a secret. */
function withoutExcerpt({ name, message }: Error): string {
  return name === "SyntaxError"
    ? message.replace(/, (?:\.\.\.)?".*(?= is not valid JSON$)/s, ", which")
    : message;
}

/** Returns the function that replaces secrets in the texts of JSON values. */
function replacerOf(jsons: readonly JsonValue[], secrets: readonly Secret[]): (text: string) => string {
  const texts = [...new Set(jsons.flatMap(textsIn))];
  const redacted = redactTexts(texts, secrets);
  const clean = new Map(texts.map((text, at) => [text, redacted[at] ?? ""]));
  return (text) => clean.get(text) ?? text;
}

/** Returns all texts in a JSON value, and all notations of its numbers. */
function textsIn(json: JsonValue): string[] {
  if (typeof json === "string") return [json];
  if (typeof json === "number") return numberTexts(json);
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => [key, ...textsIn(value)]);
}

function replacedJson(json: JsonValue, replace: (text: string) => string): JsonValue {
  if (typeof json === "string") return replace(json);
  if (typeof json === "number") {
    return numberTexts(json).every((text) => replace(text) === text) ? json : "[secret]";
  }
  if (Array.isArray(json)) return json.map((each) => replacedJson(each, replace));
  if (typeof json !== "object" || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [replace(key), replacedJson(value, replace)]);
  return Object.fromEntries(entries) as JsonValue;
}
