import { declaredText, type JsonValue, jsonTypeOf, valueAt } from "connect-rest-codec/internal";
import type { EmptySpelling, EnvelopeRule } from "../adapter/rules.ts";

/** The default representations of an empty value. They contain nothing that could be lost. */
const DEFAULT_SPELLINGS: readonly EmptySpelling[] = ["null", "empty_array", "empty_object"];

/**
 * Reports whether a value is one of the upstream's representations of an empty value.
 *
 * @param spellings the representations that a rule names; undefined for the default: `null`, `[]` and `{}`
 */
export function isEmpty(
  value: JsonValue | undefined,
  spellings: readonly EmptySpelling[] = DEFAULT_SPELLINGS,
): boolean {
  const spelling = spellingOf(value);
  return spelling !== undefined && spellings.includes(spelling);
}

/** Reports whether a value is a representation of an empty value that a rule names. */
export function isSpelledOut(value: JsonValue, spellings: readonly EmptySpelling[] | undefined): boolean {
  return spellings !== undefined && isEmpty(value, spellings);
}

/** Reports whether a value is empty, in any representation. */
export function isNothing(value: JsonValue | undefined): boolean {
  return spellingOf(value) !== undefined;
}

/**
 * Reports whether a payload may be missing.
 *
 * @param body the whole body, or undefined if there was none
 */
export function isAllowedAbsence(body: JsonValue | undefined, envelope: EnvelopeRule | undefined): boolean {
  const allowed = envelope?.empty ?? DEFAULT_SPELLINGS;
  if (body === undefined) return allowed.includes("empty_body");
  const isNull = envelope?.payload.some((path) => valueAt(body, path) === null) === true;
  return allowed.includes(isNull ? "null" : "absent");
}

function spellingOf(value: JsonValue | undefined): EmptySpelling | undefined {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (value === false) return "false";
  if (value === "") return "empty_string";
  if (Array.isArray(value)) return value.length === 0 ? "empty_array" : undefined;
  return typeof value === "object" && Object.keys(value).length === 0 ? "empty_object" : undefined;
}

/** A part of a response whose shape prevents reading it. */
export interface Misshapen {
  /** The JSON path from the root of the body. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

/** Describes a value that differs from the expected one. The declared path starts at the root of the body. */
export function misshapen(path: string, expected: string, got: JsonValue | undefined): Misshapen {
  return { path: declaredText(path) || "(root)", expected, got: got === undefined ? "nothing" : gotOf(got) };
}

function gotOf(value: JsonValue): string {
  if (isEmpty(value, ["empty_array", "empty_object"])) return `empty ${jsonTypeOf(value)}`;
  return value === "" ? "empty string" : jsonTypeOf(value);
}
