/** What is read of a page beside its items, and of items beside their messages. */
import {
  booleanFrom,
  type Condition,
  departureOf,
  firstOf,
  holdsExactly,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Kind,
  type OnMisstep,
  objectIn,
  type ProtoWriter,
  valueAt,
  valueWriter,
} from "connect-rest-codec/internal";
import type { PaginateAdapter, PollAdapter } from "../adapter/adapter.ts";
import { hrefAt, LinkRejected } from "./href.ts";
import type { Page } from "./page.ts";

/** Notes what is not as declared on the way to the keys of a feed's items. */
export function noteKeys(
  adapter: PaginateAdapter | PollAdapter,
  page: Page,
  indices: readonly number[],
  out: ProtoWriter,
): void {
  if (adapter.kind !== "poll") return;
  for (const index of indices) valueAt(page.items[index], adapter.key, inItem(page, index, out));
}

/** Notes, as fields do, what is not as declared around the items of a page, and where the next page is. */
export function notePlaces(adapter: PaginateAdapter | PollAdapter, page: Page, out: ProtoWriter): void {
  for (const misstep of page.missteps) out.misstep(misstep);
  if (adapter.kind === "poll") return;
  const { next, more } = adapter;
  const { payload, items } = page;
  if (next.kind === "cursor" && next.from === "last_item" && items.length > 0) {
    cursorAt(next.paths)(items.at(-1), inItem(page, items.length - 1, out));
  }
  // another payload is a list, or an empty page
  if (!isJsonObject(payload)) return;
  if (more !== undefined) noteValue(kindOfValues(more), payload, more.key, out);
  if (next.kind === "link") {
    noteLink(payload, next.path, out);
    if (next.query !== undefined) noteParameters(payload, next.path, next.query, out);
  } else if (next.kind === "step") {
    if (next.total !== undefined) noteValue("double", payload, next.total, out);
  } else if (next.kind === "cursor" && next.from === "payload") {
    cursorAt(next.paths)(payload, out.misstep);
  }
}

function inItem({ path }: Page, index: number, out: ProtoWriter): OnMisstep {
  return (misstep) => out.misstep({ ...misstep, path: below(`${path}[${index}]`, misstep.path) });
}

function below(path: string, rest: string): string {
  return rest === "" ? path : `${path}.${rest}`;
}

function noteValue(kind: Kind | undefined, root: JsonObject, path: string, out: ProtoWriter): void {
  const value = valueAt(root, path, out.misstep);
  if (kind !== undefined) valueWriter(kind, 1)(value, out, path);
}

function noteLink(root: JsonObject, path: string, out: ProtoWriter): void {
  try {
    if (hrefAt(root, path, out.misstep) !== undefined) return;
  } catch (error) {
    // following it is an error
    if (error instanceof LinkRejected) return;
    throw error;
  }
  const link = valueAt(root, path);
  if (link === false || (Array.isArray(link) && link.length === 0)) out.coerce(path, "a link", link);
}

/** @param link where the link is: a text there has no parameters beside it */
function noteParameters(root: JsonObject, link: string, path: string, out: ProtoWriter): void {
  if (path.startsWith(`${link}.`) && typeof valueAt(root, link) === "string") return;
  const value = valueAt(root, path, out.misstep);
  if (value === undefined || value === null) return;
  if (!isJsonObject(value)) out.misstep({ root, path, value, class: departureOf(value) });
  for (const [name, each] of Object.entries(objectIn(value) ?? {})) {
    if (typeof each !== "object" || each === null || Object.keys(each).length === 0) continue;
    out.drop(below(path, name), "a text, a number or a flag", each);
  }
}

/** The function that finds the first cursor at some paths. */
export function cursorAt(paths: readonly string[]) {
  return firstOf(
    paths.map((path) => (root: JsonValue | undefined, found: OnMisstep) => {
      const value = valueAt(root, path, found);
      return isCursor(value) ? value : undefined;
    }),
  );
}

/** The first cursor at some paths of an item. */
export function cursorInItem(paths: readonly string[], page: Page, index: number): JsonValue | undefined {
  const find = cursorAt(paths);
  return page.pick(({ items }) => find(items[index], () => {}));
}

/** Whether a value leads to another page. */
function isCursor(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== "" && value !== false;
}

/** Whether a page says that there are more. Flags are read as those of fields are. */
export function saysMore(page: Page, more: Condition): boolean {
  const { payload } = page;
  if (!isJsonObject(payload)) return false;
  if (holdsExactly(payload, more, () => page.exactly().payload)) return true;
  if (kindOfValues(more) !== "bool") return false;
  const value = valueAt(payload, more.key);
  const flag = value === undefined || value === null ? undefined : booleanFrom(value);
  return flag !== undefined && more.values?.includes(String(flag)) === true;
}

/** What the values of a condition are; undefined where it asks for none. */
function kindOfValues({ values, type }: Condition): Kind | undefined {
  if (values === undefined || values.length === 0 || type !== undefined) return undefined;
  if (values.every((value) => value === "true" || value === "false")) return "bool";
  return values.every((value) => /^-?\d+(?:\.\d+)?$/.test(value)) ? "double" : "string";
}
