import { create, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { percentEncode } from "../text/percent-encode.ts";
import type { Secret } from "../text/secret.ts";
import type { ErrorDetail } from "./rest-error.ts";

/** A secret with fewer characters is looked for as a word: a part of a word that is like it gives nothing away. */
const SHORT = 8;

/** What becomes of an apostrophe in HTML and XML. */
const APOSTROPHES = ["'", "&#39;", "&#039;", "&apos;"] as const;

/** Replaces secrets in a text by `[secret]`, also where they stand percent-encoded, or as in JSON, HTML or XML. */
export function redactText(text: string, secrets: readonly Secret[]): string {
  let clean = text;
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) {
      if (clean.includes(spelling)) clean = clean.replace(patternOf(spelling), String(secret));
    }
  }
  return clean;
}

/** Whether one of the secrets stands in a text. */
export function holdsSecret(text: string, secrets: readonly Secret[]): boolean {
  return redactText(text, secrets) !== text;
}

/** Replaces secrets in all texts of a detail; undefined where it holds one that is no text. */
export function redactDetail(detail: ErrorDetail, secrets: readonly Secret[]): ErrorDetail | undefined {
  if ("type" in detail) {
    return holdsSecret(Buffer.from(detail.value).toString("utf8"), secrets) ? undefined : detail;
  }
  const { desc, value } = detail;
  try {
    const message = create(desc, value);
    if (!holdsSecret(Buffer.from(toBinary(desc, message)).toString("utf8"), secrets)) return { desc, value };
    return { desc, value: fromJson(desc, redactJson(toJson(desc, message), secrets)) };
  } catch {
    return undefined;
  }
}

/** The same error without the secrets: text, details, and the cause that the log gets. */
export function redactError(error: ConnectError, secrets: readonly Secret[]): ConnectError {
  const text = redactText(error.rawMessage, secrets);
  const clean = new ConnectError(
    text,
    error.code,
    error.metadata,
    undefined,
    redactCause(error.cause, secrets),
  );
  clean.details = error.details.flatMap((detail) => {
    const kept = redactDetail(detail as ErrorDetail, secrets);
    return kept === undefined ? [] : [kept as (typeof error.details)[number]];
  });
  return clean;
}

function redactCause(cause: unknown, secrets: readonly Secret[]): unknown {
  if (!(cause instanceof Error)) return cause;
  const clean = new Error(redactText(cause.message, secrets));
  clean.name = cause.name;
  clean.stack = redactText(cause.stack ?? "", secrets);
  return clean;
}

function redactJson(json: JsonValue, secrets: readonly Secret[]): JsonValue {
  if (typeof json === "string") return redactText(json, secrets);
  if (Array.isArray(json)) return json.map((each) => redactJson(each, secrets));
  if (typeof json !== "object" || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [
    redactText(key, secrets),
    redactJson(value, secrets),
  ]);
  return Object.fromEntries(entries) as JsonValue;
}

function spellingsOf(secret: Secret): ReadonlySet<string> {
  const text = secret.reveal();
  const json = JSON.stringify(text).slice(1, -1);
  const spellings = [
    text,
    percentEncode(text.toWellFormed()),
    json,
    // as PHP and Go write it by default
    json.replaceAll("/", "\\/"),
    json.replace(/[&<>]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
    ...APOSTROPHES.map((apostrophe) => inMarkup(text, apostrophe)),
  ];
  return new Set(spellings.filter((spelling) => spelling !== ""));
}

function inMarkup(text: string, apostrophe: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", apostrophe);
}

function patternOf(spelling: string): RegExp {
  const literal = spelling.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(
    spelling.length < SHORT ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal,
    "gu",
  );
}
