import type { Operation, ResponseHeader } from "../normalize/api.ts";
import type { Schema, SchemaNode } from "../normalize/schema.ts";
import type { Schemas } from "../normalize/schemas.ts";
import type { OptionValue } from "../proto/model.ts";
import { type Page, type PageKey, type PageParameter, pageKeys, pageOf, queryParameters } from "./page.ts";

type Rule = Readonly<Record<string, OptionValue>>;

/** The pages of a list. */
export interface Pages {
  readonly item: SchemaNode;
  /** Whether the document shows that the rule is right. Otherwise, a user must decide. */
  readonly isPlain: boolean;
  /** Returns the rule `paginate`, with the names of request fields. */
  rule(fieldOf: (parameter: string) => string): Rule;
}

/** One way to find the next page. */
interface Way {
  readonly isPlain: boolean;
  /** The paths of the keys that the rule reads. */
  readonly reads: readonly string[];
  rule(fieldOf: (parameter: string) => string): Rule;
}

/** The ways, in order of preference. */
const WAYS: readonly ((page: Page, parameters: readonly PageParameter[]) => Way | undefined)[] = [
  cursorWay,
  linkWay,
  headerWay,
  lastItemWay,
  offsetWay,
  pageWay,
];

/** Returns the pages of an operation; undefined if nothing in the document indicates pages. */
export function pagesOf(schemas: Schemas, operation: Operation): Pages | undefined {
  const page = pageOf(schemas, operation);
  if (page === undefined) return undefined;
  const parameters = queryParameters(schemas, operation);
  const ways = WAYS.flatMap((way) => way(page, parameters) ?? []);
  const way = ways.find(({ isPlain }) => isPlain) ?? ways[0];
  if (way === undefined) return undefined;
  const read = new Set([page.items.path, ...way.reads]);
  const others = page.keys.filter(({ path }) => !read.has(path) && !page.items.path.startsWith(`${path}.`));
  const known = others.map(({ path }) => path);
  return {
    item: page.item,
    isPlain: way.isPlain,
    rule: (fieldOf) => ({
      items: page.items.path,
      ...way.rule(fieldOf),
      ...(known.length === 0 ? {} : { known: known.length === 1 ? known[0] : known }),
    }),
  };
}

/** Names of cursors, without `next`. */
const CURSORS: ReadonlySet<string> = new Set([
  "after",
  "bookmark",
  "continuation",
  "continuation_token",
  "cursor",
  "marker",
  "page",
  "page_cursor",
  "page_token",
  "pagination_token",
  "start_cursor",
  "token",
]);
/** Cursors whose name alone shows that they lead to the next page, not to the current one. */
const FORWARD: ReadonlySet<string> = new Set(["after", "continuation_token", "cursor", "end_cursor"]);

function cursorWay({ keys }: Page, parameters: readonly PageParameter[]): Way | undefined {
  const cursors = parameters.filter(
    ({ name, schema }) => CURSORS.has(withoutNext(name)) && (isText(schema) || isInteger(schema)),
  );
  for (const key of keys) {
    if (!isText(key.schema) && !isInteger(key.schema)) continue;
    if (isLink(key) || !isForward(key)) continue;
    const same = cursors.filter((parameter) => isSame(key, parameter));
    const [only] = same.length === 0 && key.name === "next" ? cursors : same;
    if (only === undefined || isText(only.schema) !== isText(key.schema)) continue;
    const isPlain = same.length === 1 || (cursors.length === 1 && only.name !== "page");
    return {
      isPlain,
      reads: [key.path],
      rule: (fieldOf) => ({ cursor: { path: key.path, field: fieldOf(only.parameter.name) } }),
    };
  }
  return undefined;
}

/** Reports whether the name of a key shows that the key leads to the next page. */
function isForward({ name }: PageKey): boolean {
  return /(?:^|_)next(?:_|$)/.test(name) || FORWARD.has(name);
}

/** Reports whether a key of a response and a parameter have the same name, apart from `next`. */
function isSame(key: PageKey, { name }: PageParameter): boolean {
  return withoutNext(name) === (key.name === "end_cursor" ? "after" : withoutNext(key.name));
}

function withoutNext(name: string): string {
  return name.replace(/^next_|_next$/, "");
}

/**
 * Returns the pairs of a key and a parameter that look like a cursor. In an operation without `Pages`, they
 * are pairs that no rule can read, e.g. because their types differ.
 */
export function likePages(schemas: Schemas, operation: Operation): string[] {
  const parameters = queryParameters(schemas, operation);
  return pageKeys(schemas, operation)
    .filter((key) => isForward(key))
    .flatMap((key) => {
      const same = parameters.filter((parameter) => isSame(key, parameter));
      const cursors = parameters.filter(({ name }) => CURSORS.has(withoutNext(name)));
      return (key.name === "next" ? [...same, ...cursors] : same).map(
        ({ parameter, schema }) =>
          `${key.path} (${key.schema.shape.kind}) and the parameter ${parameter.name} (${schema.shape.kind})`,
      );
    });
}

const LINKS = /^(?:odata_)?next(?:_page)?(?:_(?:url|uri|link|href))?$/;

/** Returns the rule for a key with the URL of the next page. */
function linkWay({ keys }: Page): Way | undefined {
  const links = keys.filter(({ name }) => LINKS.test(name));
  const found = links.find(isLink) ?? links.find(({ schema }) => isText(schema));
  if (found === undefined) return undefined;
  return { isPlain: isLink(found), reads: [found.path], rule: () => ({ link: found.path }) };
}

function isLink({ name, schema }: PageKey): boolean {
  const { shape, format } = schema;
  if (shape.kind === "object") return shape.properties.has("href") && LINKS.test(name);
  return isText(schema) && (/^(?:uri|url|iri)/.test(format ?? "") || /_(?:url|uri|link|href)$/.test(name));
}

/** Returns the rule for a `Link` header (RFC 8288). */
function headerWay({ headers }: Page, parameters: readonly PageParameter[]): Way | undefined {
  const header = headers.find(({ name }) => name.toLowerCase() === "link");
  if (header === undefined) return undefined;
  const isPlain = hasNext(header) || parameters.some(({ name }) => PAGES.has(name) || CURSORS.has(name));
  return { isPlain, reads: [], rule: () => ({ link_header: "next" }) };
}

/** Reports whether the text of a header mentions the relation `next`. */
function hasNext({ description }: ResponseHeader): boolean {
  return /rel=\\?["']?next\b/.test(description);
}

/**
 * Returns the rule for lists like Stripe's: a parameter with the ID of the last item, and a flag for more
 * pages.
 */
function lastItemWay({ keys }: Page, parameters: readonly PageParameter[]): Way | undefined {
  const after = parameters.find(({ name, schema }) => name === "starting_after" && isText(schema));
  const more = moreKey(keys);
  if (after === undefined || more === undefined) return undefined;
  return {
    isPlain: true,
    reads: [more.path],
    rule: (fieldOf) => ({
      last_item: { path: "id", field: fieldOf(after.parameter.name) },
      more: { key: more.path, values: "true" },
    }),
  };
}

const OFFSETS: ReadonlySet<string> = new Set(["offset", "skip", "start_at", "start_index"]);
const PAGES: ReadonlySet<string> = new Set(["page", "page_index", "page_number"]);
const SIZES: ReadonlySet<string> = new Set([
  "count",
  "limit",
  "max_results",
  "page_size",
  "per_page",
  "size",
  "take",
]);
const TOTAL_ITEMS =
  /^(?:total|total_(?:count|results|items|elements|records|size)|(?:item|result|record)s_total)$/;
const TOTAL_PAGES = /^(?:total_pages|page_count|pages|last_page|num_pages|total_page_count)$/;

function offsetWay(page: Page, parameters: readonly PageParameter[]): Way | undefined {
  return countedWay(page, parameters, { rule: "offset", names: OFFSETS, total: TOTAL_ITEMS, usual: 0 });
}

function pageWay(page: Page, parameters: readonly PageParameter[]): Way | undefined {
  return countedWay(page, parameters, { rule: "page", names: PAGES, total: TOTAL_PAGES, usual: 1 });
}

interface Counting {
  readonly rule: "offset" | "page";
  readonly names: ReadonlySet<string>;
  readonly total: RegExp;
  /** The first number if the rule does not set it. */
  readonly usual: number;
}

/** Returns the rule for a parameter that counts items or pages. */
function countedWay(
  { keys }: Page,
  parameters: readonly PageParameter[],
  { rule, names, total, usual }: Counting,
): Way | undefined {
  const counted = parameters.find(({ name, schema }) => names.has(name) && isInteger(schema));
  if (counted === undefined) return undefined;
  const sum = keys.find(({ name, schema }) => total.test(name) && isInteger(schema));
  const more = moreKey(keys);
  const first = firstOf(counted.schema) ?? (rule === "offset" ? 0 : undefined);
  const hasEnd = sum !== undefined || more !== undefined || parameters.some(({ name }) => SIZES.has(name));
  return {
    isPlain: hasEnd && first !== undefined && !counted.parameter.required,
    reads: [...(sum === undefined ? [] : [sum.path]), ...(more === undefined ? [] : [more.path])],
    rule: (fieldOf) => ({
      [rule]: fieldOf(counted.parameter.name),
      ...(first === undefined || first === usual ? {} : { first }),
      ...(more === undefined ? {} : { more: { key: more.path, values: "true" } }),
      ...(sum === undefined ? {} : { total: sum.path }),
    }),
  };
}

/** Returns the first number, which is the default or the smallest value of the parameter. */
function firstOf({ notes, limits }: Schema): number | undefined {
  return [notes.default, limits.minimum].find((value) => value === 0 || value === 1) as 0 | 1 | undefined;
}

function moreKey(keys: readonly PageKey[]): PageKey | undefined {
  return keys.find(
    ({ name, schema }) =>
      schema.shape.kind === "boolean" &&
      /^(?:more|has_more|has_next|has_next_page|more_available)$/.test(name),
  );
}

function isText({ shape }: Schema): boolean {
  return shape.kind === "string";
}

function isInteger({ shape }: Schema): boolean {
  return shape.kind === "integer";
}
