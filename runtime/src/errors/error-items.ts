/** Reads errors in a list. */

import { isJsonObject, type JsonObject, type JsonValue, rawJson, valueAt } from "connect-rest-codec/internal";
import type { ErrorShape } from "../adapter/rules.ts";
import { BadRequestSchema } from "../gen/google/rpc/error_details_pb.ts";
import { safeText } from "../text/safe-text.ts";
import type { ErrorReport } from "./error-report.ts";
import type { PathStep } from "./field-notation.ts";
import type { RequestFields } from "./request-fields.ts";
import type { KnownDetail } from "./rest-error.ts";

/** The maximum number of items that are read. The last field violation states the number of omitted items. */
const MAX_ITEMS = 50;

/** The maximum size of details in bytes. Details are sent in trailers, whose size clients limit. */
const MAX_BYTES = 8 * 1024;
const MAX_FIELD = 200;
const MAX_DESCRIPTION = 300;
const MAX_SUBCODE = 100;

type ItemKeys = Extract<ErrorShape, { kind: "items" }>;

/** The parts of an item in an error list that callers can use. */
export interface Item {
  readonly text: string;
  /** The item's part of the error message, if it differs from `text`. */
  readonly line?: string;
  readonly subcode: string | undefined;
  readonly field: string;
  readonly json: JsonValue;
}

/**
 * Reads a list of errors, or a single error. The message joins the texts of all items, and the subcode is the
 * first one that an item has. If an item names a field of the request, all items are reported in a
 * google.rpc.BadRequest.
 */
export function readItems(
  value: JsonValue | undefined,
  keys: ItemKeys,
  fields: RequestFields,
): ErrorReport | undefined {
  return reportOfItems(listOf(value), (json) => readItem(json, keys, fields));
}

/** Reads a list of errors with a custom function that reads each item. */
export function reportOfItems<T>(list: readonly T[], read: (item: T) => Item): ErrorReport | undefined {
  const items = list.slice(0, MAX_ITEMS).map(read);
  const subcode = items.find((item) => item.subcode !== undefined)?.subcode;
  const text = joined(items.map((item) => item.line ?? item.text));
  const details = items.some(({ field }) => field !== "")
    ? [badRequest(items.map(violationOf), list.length - items.length)]
    : undefined;
  if (text === "" && subcode === undefined && details === undefined) return undefined;
  return { text, ...(subcode !== undefined && { subcode }), ...(details !== undefined && { details }) };
}

/** Reads objects whose keys are titles and whose values are details. A string in the list is a title. */
export function readTitleMap(value: JsonValue | undefined): ErrorReport | undefined {
  const texts = listOf(value)
    .slice(0, MAX_ITEMS)
    .flatMap((json) => {
      if (!isJsonObject(json)) return [scalarText(json) ?? ""];
      return Object.entries(json).flatMap(([title, detail]) =>
        typeof detail === "string" ? [detail === "" ? title : `${title}: ${detail}`] : [],
      );
    });
  const text = joined(texts.slice(0, MAX_ITEMS));
  return text === "" ? undefined : { text };
}

function readItem(json: JsonValue, keys: ItemKeys, fields: RequestFields): Item {
  if (!isJsonObject(json)) return { text: scalarText(json) ?? "", subcode: undefined, field: "", json };
  const parts = [ownText(json, keys.title), ownText(json, keys.detail)];
  return {
    text: parts.filter((part) => part !== undefined && part !== "").join(": "),
    subcode: subcodeOf(ownOrBelow(json, keys.code)),
    field: keys.field === undefined ? "" : fields.nameOf(stepsOf(valueAt(json, keys.field))),
    json,
  };
}

function violationOf({ text, subcode, field, json }: Item): Violation {
  return {
    field: safeText(field, MAX_FIELD),
    // an item without a text is shown as JSON
    description: safeText(text === "" ? rawJson(json).text : text, MAX_DESCRIPTION),
    reason: subcode === undefined ? "" : violationReason(subcode),
  };
}

interface Violation {
  readonly field: string;
  readonly description: string;
  readonly reason: string;
}

/**
 * Returns the violations that fit, and one more violation that states how many were omitted.
 *
 * @param more the number of violations that were already omitted
 */
function badRequest(violations: readonly Violation[], more: number): KnownDetail {
  let left = MAX_BYTES;
  const kept = violations.filter(({ field, description, reason }) => {
    left -= Buffer.byteLength(field) + Buffer.byteLength(description) + reason.length;
    return left >= 0;
  });
  const omitted = more + violations.length - kept.length;
  const rest = { field: "", description: `${omitted} more errors are left out`, reason: "" };
  return { desc: BadRequestSchema, value: { fieldViolations: omitted > 0 ? [...kept, rest] : kept } };
}

/**
 * Returns the reason of a violation, which must be in UPPER_SNAKE_CASE (google.rpc.BadRequest). A numeric
 * code gets a prefix.
 */
function violationReason(subcode: string): string {
  const word = subcode
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  if (word === "") return "";
  return (/^[A-Z]/.test(word) ? word : `CODE_${word}`).slice(0, 63);
}

/** Returns the steps of a path, which is a string or a list of steps. */
export function stepsOf(value: JsonValue | undefined): readonly PathStep[] {
  return listOf(value).flatMap((step: JsonValue) => {
    const text = typeof step === "number" ? step : scalarText(step);
    return text === undefined || text === "" ? [] : [text];
  });
}

/** Returns the items of an array, or any other value as the only item. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** Joins the distinct strings. */
export function joined(texts: readonly string[]): string {
  return [...new Set(texts)].filter((text) => text.trim() !== "").join("; ");
}

/** Returns the value at a key or, if there is no such key, at a dotted path. */
function ownOrBelow(json: JsonObject, path: string): JsonValue | undefined {
  return Object.hasOwn(json, path) ? json[path] : valueAt(json, path);
}

function ownText(json: JsonObject, key: string): string | undefined {
  const value = ownOrBelow(json, key);
  return value === undefined ? undefined : scalarText(value);
}

/** Returns a string or a number as a string. */
export function scalarText(value: JsonValue): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

/** Returns an error code as a string, or undefined if the code is meaningless. */
export function subcodeOf(code: JsonValue | undefined): string | undefined {
  const text = code === undefined ? "" : (scalarText(code)?.trim() ?? "");
  return text === "" || text === "0" || text.length > MAX_SUBCODE ? undefined : text;
}
