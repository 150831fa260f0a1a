/** Notes differences and reads values in the parts of a page that no item message contains. */
import {
  booleanFrom,
  type Condition,
  declaredText,
  departureOf,
  exactNumber,
  firstOf,
  holdsExactly,
  integerFromText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  joinedPath,
  jsonTypeOf,
  type Kind,
  type OnMisstep,
  objectIn,
  type ProtoWriter,
  readsKey,
  stepsOf,
  stepText,
  valueAt,
  valueWriter,
} from "connect-rest-codec/internal";
import type { NextPage, PaginateAdapter, PollAdapter } from "../adapter/adapter.ts";
import { hrefAt, LinkRejected } from "./href.ts";
import type { Page } from "./page.ts";

/** Notes differences on the paths to the keys of a feed's items. */
export function noteKeys(
  adapter: PaginateAdapter | PollAdapter,
  page: Page,
  indices: readonly number[],
  out: ProtoWriter,
): void {
  if (adapter.kind !== "poll" || isRead(adapter.key, adapter)) return;
  for (const index of indices) valueAt(page.items[index], adapter.key, inItem(page, index, out));
}

/**
 * Notes differences around the items of a page and on the paths to its next page, in the same way as for
 * fields.
 */
export function notePlaces(adapter: PaginateAdapter | PollAdapter, page: Page, out: ProtoWriter): void {
  for (const misstep of page.missteps) out.misstep(misstep);
  if (page.isOnlyItem) out.coerce(declaredText(page.path), "array", page.list);
  if (adapter.kind === "poll") return;
  const { next, more } = adapter;
  const { payload, items } = page;
  if (next.kind === "cursor" && next.from === "last_item" && items.length > 0) {
    noteLast(next, page, adapter, out);
  }
  // any other payload is the list itself, or an empty page
  if (!isJsonObject(payload)) return;
  if (more !== undefined) noteValue(kindOfValues(more), payload, more.key, out);
  if (next.kind === "link") {
    noteLink(payload, next.path, out);
    if (next.query !== undefined) noteParameters(payload, next.path, next.query, out);
  } else if (next.kind === "step") {
    if (next.total !== undefined) noteTotal(page, next.total, out);
  } else if (next.kind === "cursor" && next.from === "payload") {
    cursorAt(next.paths)(payload, out.misstep);
    noteCursor(next, next.paths, payload, (place) => place, out);
  }
}

/** Reports whether a field of the items reads a path, and thus reports what the path leads through. */
function isRead(path: string, { item }: PaginateAdapter | PollAdapter): boolean {
  const [key = ""] = stepsOf(path);
  return readsKey(item, key);
}

/** Notes a total that is not an integer. Such a total does not end a list. */
function noteTotal({ payload }: Page, path: string, out: ProtoWriter): void {
  const value = valueAt(payload, path, out.misstep);
  const isScalar = typeof value === "string" ? value !== "" : jsonTypeOf(value) === "number";
  if (isScalar && countIn(value) === undefined) {
    out.drop(declaredText(path), "an integer", value);
  } else {
    valueWriter("double", 1)(value, out, declaredText(path));
  }
}

/** Returns the integer that a value represents; undefined for an integer beyond 2^53. */
export function countIn(value: JsonValue | undefined): number | undefined {
  const number = typeof value === "string" ? integerFromText(value) : exactNumber(value);
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

type CursorRule = Extract<NextPage, { readonly kind: "cursor" }>;

/**
 * Notes values in place of a cursor that mean that there is none, and a number if the request field is a
 * string. Paths after the cursor are not read.
 */
function noteCursor(
  { isText }: CursorRule,
  paths: readonly string[],
  root: JsonValue | undefined,
  placed: (place: string) => string,
  out: ProtoWriter,
): void {
  for (const path of paths) {
    const value = valueAt(root, path);
    const isFound = isCursor(value);
    const isNumber = isText === true && jsonTypeOf(value) === "number";
    if (isFound ? isNumber : isBlank(value)) out.coerce(placed(declaredText(path)), "a cursor", value);
    if (isFound) return;
  }
}

/** Reports whether a value is `false`, `[]` or `{}`, which some upstreams send in place of null. */
function isBlank(value: JsonValue | undefined): boolean {
  return value === false || (typeof value === "object" && value !== null && !isCursor(value));
}

/** Notes the cursor in the last item. Values that fields of the item read are left to these fields. */
function noteLast(rule: CursorRule, page: Page, adapter: PaginateAdapter, out: ProtoWriter): void {
  const index = page.items.length - 1;
  const item = page.items[index];
  const paths = rule.paths.filter((path) => !isRead(path, adapter));
  cursorAt(paths)(item, inItem(page, index, out));
  noteCursor(rule, paths, item, (place) => placeInItem(page, index, place), out);
}

function inItem(page: Page, index: number, out: ProtoWriter): OnMisstep {
  return (misstep) => out.misstep({ ...misstep, path: placeInItem(page, index, misstep.path) });
}

function placeInItem({ path }: Page, index: number, below: string): string {
  return joinedPath(`${declaredText(path)}[${index}]`, below);
}

function noteValue(kind: Kind | undefined, root: JsonObject, path: string, out: ProtoWriter): void {
  const value = valueAt(root, path, out.misstep);
  if (kind !== undefined) valueWriter(kind, 1)(value, out, declaredText(path));
}

function noteLink(root: JsonObject, path: string, out: ProtoWriter): void {
  try {
    if (hrefAt(root, path, out.misstep) !== undefined) return;
  } catch (error) {
    // if the link is followed later, this error is thrown then
    if (error instanceof LinkRejected) return;
    throw error;
  }
  for (const place of [path, path === "" ? "href" : `${path}.href`]) {
    const link = valueAt(root, place);
    if (isBlank(link)) out.coerce(declaredText(place), "a link", link);
  }
}

/** @param link the path of the link; if the link is a string, there are no parameters next to it */
function noteParameters(root: JsonObject, link: string, path: string, out: ProtoWriter): void {
  if (path.startsWith(`${link}.`) && typeof valueAt(root, link) === "string") return;
  const value = valueAt(root, path, out.misstep);
  if (value === undefined || value === null) return;
  const place = declaredText(path);
  if (!isJsonObject(value)) out.misstep({ root, path: place, value, class: departureOf(value) });
  for (const [name, each] of Object.entries(objectIn(value) ?? {})) {
    if (typeof each !== "object" || each === null || Object.keys(each).length === 0) continue;
    out.drop(joinedPath(place, stepText(name)), "a text, a number or a flag", each);
  }
}

/** Returns a function that returns the first cursor at the given paths. */
export function cursorAt(paths: readonly string[]) {
  return firstOf(
    paths.map((path) => (root: JsonValue | undefined, found: OnMisstep) => {
      const value = valueAt(root, path, found);
      return isCursor(value) ? value : undefined;
    }),
  );
}

/** Returns the first cursor at the given paths of an item. */
export function cursorInItem(paths: readonly string[], page: Page, index: number): JsonValue | undefined {
  const find = cursorAt(paths);
  return page.pick(({ items }) => find(items[index], () => {}));
}

/** Reports whether a value leads to another page. */
export function isCursor(value: JsonValue | undefined): value is JsonValue {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== "" && value !== false;
}

/**
 * Reports whether a page states that there are more pages. Booleans are read in the same way as in fields.
 */
export function saysMore(page: Page, more: Condition): boolean {
  const { payload } = page;
  if (!isJsonObject(payload)) return false;
  if (holdsExactly(payload, more, () => page.exactly().payload)) return true;
  if (kindOfValues(more) !== "bool") return false;
  const value = valueAt(payload, more.key);
  const flag = value === undefined || value === null ? undefined : booleanFrom(value);
  return flag !== undefined && more.values?.includes(String(flag)) === true;
}

/** Returns the type that a condition's values have, or undefined if the condition has no values. */
function kindOfValues({ values, type }: Condition): Kind | undefined {
  if (values === undefined || values.length === 0 || type !== undefined) return undefined;
  if (values.every((value) => value === "true" || value === "false")) return "bool";
  return values.every((value) => /^-?\d+(?:\.\d+)?$/.test(value)) ? "double" : "string";
}
