import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  declaredText,
  type FoundDifferences,
  hasBrokenLinks,
  isJsonObject,
  type JsonValue,
  joinedPath,
  jsonTypeOf,
  linkTarget,
  NO_DIFFERENCES,
  NumberText,
  objectIn,
  ownValue,
  stringifyJson,
  valueAt,
} from "connect-rest-codec/internal";
import type { NextPage, PaginateAdapter } from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import { together } from "../call/messages.ts";
import type { RunningCall } from "../call/running-call.ts";
import { namesOf } from "../errors/names.ts";
import { restError } from "../errors/rest-error.ts";
import { CursorFault } from "../request/cursor.ts";
import { hrefAt } from "../response/href.ts";
import type { Page } from "../response/page.ts";
import { countIn, cursorAt, cursorInItem, isCursor, saysMore } from "../response/page-places.ts";
import type { ReadResponse } from "../response/read-response.ts";
import { shapeError } from "../response/shape-error.ts";
import { lostAt, Overlap } from "./overlap.ts";
import { linkedRequest } from "./page-link.ts";

/** The HTTP status that means a page without items, which has no body. */
const NO_CONTENT = 204;

type Advance<K extends NextPage["kind"]> = Extract<NextPage, { readonly kind: K }>;

/** Finds the next page of a list. */
export class Pager {
  /** The request of the current page. */
  request: RestRequest;
  private readonly call: RunningCall<PaginateAdapter>;
  private message: MessageShape<DescMessage>;
  private cursor: string | undefined;
  private readonly overlap?: Overlap;

  constructor(call: RunningCall<PaginateAdapter>, message: MessageShape<DescMessage>) {
    this.call = call;
    this.message = message;
    this.request = call.request(message);
    const { next } = call.adapter;
    if (next.kind === "cursor" && next.overlap) this.overlap = new Overlap(next.overlap, next.paths);
  }

  /** Returns the items of a page that were not on the previous page. */
  unseen(page: Page): readonly number[] {
    return this.overlap?.unseen(page) ?? [...page.items.keys()];
  }

  /**
   * Returns the differences for items that may be missing, either between the previous page and this page or
   * after this page.
   *
   * @param unseen the items on the page that were not on the previous page
   */
  lost(page: Page, unseen: readonly number[], response: ReadResponse): FoundDifferences {
    return together(this.lostMore(page, response), this.lostItems(page, unseen, response));
  }

  private lostItems(page: Page, unseen: readonly number[], { header }: ReadResponse): FoundDifferences {
    const { next } = this.call.adapter;
    switch (next.kind) {
      case "link_header":
        return lostLinks(header("link"), next.rel);
      case "cursor":
        return together(
          this.overlap?.lostBefore(page) ?? NO_DIFFERENCES,
          unseen.length > 0 ? this.lostAfter(page, next) : NO_DIFFERENCES,
        );
      case "step":
        return lostTotal(next, page);
      default:
        return NO_DIFFERENCES;
    }
  }

  /**
   * Returns the difference for a page that leads to another page, although its flag for more pages is missing
   * or unset, which marks the last page. A link, a cursor and items before a stated total contradict a
   * missing flag. Only a link contradicts the flag itself, because many upstreams send a cursor even with the
   * last page.
   */
  private lostMore(page: Page, response: ReadResponse): FoundDifferences {
    const { more, next } = this.call.adapter;
    const { payload } = page;
    if (more === undefined || more.present !== undefined || !isJsonObject(payload)) return NO_DIFFERENCES;
    const isMissing = (valueAt(payload, more.key) ?? null) === null;
    const isLink = next.kind === "link" || next.kind === "link_header";
    if (saysMore(page, more) || !(isMissing || isLink)) return NO_DIFFERENCES;
    return this.leadsOn(page, response)
      ? lostAt(declaredText(more.key), "a flag for the next page", gotAt(payload, more.key))
      : NO_DIFFERENCES;
  }

  /** Reports whether a page leads to another page, without regard to its flag for more pages. */
  private leadsOn(page: Page, response: ReadResponse): boolean {
    const { next } = this.call.adapter;
    switch (next.kind) {
      case "link":
        return isCursor(valueAt(page.payload, next.path));
      case "link_header":
        return (linkTarget(response.header("link"), next.rel) ?? "") !== "";
      case "cursor": {
        const value = cursorOf(next, page, response);
        const isUnset = next.zeroIsUnset === true && isZero(value);
        return isCursor(value) && !isUnset && stringifyJson(value) !== this.cursor;
      }
      case "step": {
        const by = next.by === "items" ? page.items.length : 1;
        const end = (next.before?.(this.message) ?? 0) + by;
        return page.items.length > 0 && end < (totalIn(next, page) ?? Number.POSITIVE_INFINITY);
      }
    }
  }

  /**
   * Returns the difference for a last item without a cursor. Such an item does not mark the end of a list: it
   * is unknown whether items follow.
   */
  private lostAfter(page: Page, { from, paths, always, zeroIsUnset }: Advance<"cursor">): FoundDifferences {
    // a last item without the value is an error if every item must have it, or if a rule says that there are
    // more pages
    if (from !== "last_item" || always || this.call.adapter.more !== undefined) return NO_DIFFERENCES;
    const value = valueOfLast(paths, page);
    const leads = value !== undefined && !(zeroIsUnset && isZero(value));
    if (leads || this.overlap?.isBare(page, this.message)) return NO_DIFFERENCES;
    const [path = ""] = paths;
    return lostAt(
      placeInLast(page, path),
      "a value that leads to the next page",
      gotAt(page.items.at(-1), path),
    );
  }

  /**
   * Advances to the next page. Returns false if there is no next page. After a page without items, there is a
   * next page only if the response says so: with a link or a cursor, the rule `more`, or a total number of
   * pages.
   *
   * @throws ConnectError reason PAGE_LINK_REFUSED or PAGE_REPEATED; reason RESPONSE_SHAPE if the upstream
   *   states that there are more pages but not how to request them, or if a key that every page must have is
   *   missing
   */
  advance(page: Page, response: ReadResponse): boolean {
    const { more } = this.call.adapter;
    this.checkAlways(page, response);
    if (more !== undefined && !saysMore(page, more)) return false;
    if (this.moves(page, response)) return true;
    if (more !== undefined) throw this.stuck(more.key, page, response);
    return false;
  }

  private moves(page: Page, response: ReadResponse): boolean {
    const { next, more } = this.call.adapter;
    if (page.items.length === 0) {
      if (next.kind === "step" && more === undefined) return this.stepsOn(next, page);
      if (needsItems(next)) return false;
    }
    switch (next.kind) {
      case "link":
        return this.follow(
          page,
          () => hrefAt(page.payload, next.path),
          () => (next.query === undefined ? [] : queryOf(page, next.query)),
        );
      case "link_header":
        return this.follow(page, () => linkTarget(response.header("link"), next.rel) || undefined);
      case "step":
        return this.step(next, next.by === "items" ? page.items.length : 1, page);
      case "cursor":
        return this.moveCursor(next, page, cursorOf(next, page, response));
    }
  }

  /**
   * Handles a page without items. There is another page only if the payload states a total number of pages
   * that is not reached. If the payload states a total number of items, missing items are an error.
   */
  private stepsOn(next: Advance<"step">, page: Page): boolean {
    const total = totalIn(next, page);
    const before = next.before?.(this.message);
    if (total === undefined || before === undefined || before >= total) return false;
    if (next.by === "page") return this.step(next, 1, page);
    throw this.shapeless(declaredText(page.path), `items up to ${total}, as \`${next.total}\` says`, "none");
  }

  private stuck(key: string, page: Page, { header }: ReadResponse): Error {
    const { next } = this.call.adapter;
    const why = `since \`${key}\` says that there is more`;
    if (page.items.length === 0 && needsItems(next)) {
      return this.shapeless(declaredText(page.path), `items ${why}`, "none");
    }
    switch (next.kind) {
      case "link":
        return this.shapeless(declaredText(next.path), `a link ${why}`, gotAt(page.payload, next.path));
      case "link_header":
        return this.shapeless("Link", `rel="${next.rel}" ${why}`, header("link") ? "other links" : "nothing");
      case "step":
        return this.shapeless(
          declaredText(next.total ?? key),
          `a total beyond this page ${why}`,
          gotAt(page.payload, next.total ?? key),
        );
      case "cursor":
        return this.withoutCursor(next, page, why);
    }
  }

  private withoutCursor({ from, paths: [path = ""] }: Advance<"cursor">, page: Page, why: string): Error {
    const expected = `a cursor ${why}`;
    if (from === "header") return this.shapeless(path, expected, "nothing");
    if (from === "payload") return this.shapeless(declaredText(path), expected, gotAt(page.payload, path));
    return this.shapeless(placeInLast(page, path), expected, gotAt(page.items.at(-1), path));
  }

  private shapeless(path: string, expected: string, got: string): Error {
    return shapeError(this.call.adapter, { path: path === "" ? "(root)" : path, expected, got });
  }

  private follow(
    page: Page,
    find: () => string | undefined,
    further?: Parameters<typeof linkedRequest>[4],
  ): boolean {
    const { path, queryString } = this.request;
    const next = linkedRequest(this.call, this.request, "PAGE_LINK_REFUSED", find, further);
    if (next === undefined) return false;
    if (next.path === path && next.queryString === queryString) return this.repeated(page, "link");
    this.request = next;
    return true;
  }

  private step(rule: Advance<"step">, by: number, page: Page): boolean {
    const { advance, before } = rule;
    const next = this.call.adapted("asking for the next page", () => advance(this.message, by));
    const all = totalIn(rule, page);
    if (all !== undefined && before !== undefined && before(next) >= all) return false;
    this.send(() => next);
    return true;
  }

  private moveCursor(
    { advance, from, paths, zeroIsUnset }: Advance<"cursor">,
    page: Page,
    value: JsonValue | undefined,
  ): boolean {
    if (value === undefined || value === "") return false;
    if (zeroIsUnset && isZero(value)) return false;
    if (Array.isArray(value) || isJsonObject(value) || value === true) {
      throw this.shapeless(placeOf(from, paths), "a cursor that is a text or a number", jsonTypeOf(value));
    }
    const { overlap, message } = this;
    const path = from === "last_item" ? placeInLast(page, ...paths) : placeOf(from, paths);
    const next = overlap === undefined ? value : this.fitting(path, () => overlap.next(page, value, message));
    const cursor = next === undefined ? this.cursor : stringifyJson(next);
    if (next === undefined || cursor === this.cursor) return this.repeated(page, "cursor");
    this.cursor = cursor;
    this.sendCursor(path, () => advance(message, next), next);
    return true;
  }

  /** Uses the cursor at a path. Reports a cursor that does not fit the type of its request field. */
  private fitting<T>(path: string, act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw error instanceof CursorFault ? this.invalidCursor(path, error) : error;
    }
  }

  /** Sends a request with a cursor. If the request cannot contain the cursor, the upstream is at fault. */
  private sendCursor(path: string, next: () => MessageShape<DescMessage>, cursor: JsonValue): void {
    try {
      this.send(() => this.fitting(path, next));
    } catch (error) {
      const isRejected = error instanceof ConnectError && error.code === Code.InvalidArgument;
      throw isRejected ? this.invalidCursor(path, new CursorFault("valid in a request", cursor)) : error;
    }
  }

  private invalidCursor(path: string, { expected, got }: CursorFault): Error {
    return restError("CURSOR_INVALID", { ...namesOf(this.call.adapter), path, expected, got });
  }

  private send(next: () => MessageShape<DescMessage>): void {
    this.message = this.call.adapted("asking for the next page", next);
    this.request = this.call.request(this.message);
  }

  /**
   * Handles a page that refers to itself. Such a page is the last page if it has no items, and an error
   * otherwise.
   */
  private repeated(page: Page, next: "cursor" | "link"): false {
    if (page.items.length === 0 && this.call.adapter.more === undefined) return false;
    throw restError("PAGE_REPEATED", { ...namesOf(this.call.adapter), next });
  }

  private checkAlways(page: Page, response: ReadResponse): void {
    const { next } = this.call.adapter;
    if ((next.kind !== "link" && next.kind !== "cursor") || next.always !== true) return;
    const paths = next.kind === "link" ? [next.path] : next.paths;
    const from = next.kind === "link" ? "payload" : next.from;
    if (response.status === NO_CONTENT || (from === "last_item" && page.items.length === 0)) return;
    if (from === "last_item") {
      if (valueOfLast(paths, page) !== undefined) return;
      const [path = ""] = paths;
      throw this.shapeless(
        placeInLast(page, ...paths),
        "a value that every item has",
        gotAt(page.items.at(-1), path),
      );
    }
    const found = (path: string) => (from === "header" ? response.header(path) : valueAt(page.payload, path));
    if (paths.some((path) => found(path) !== undefined)) return;
    const expected = from === "header" ? "a header that every page has" : "a key that every page has";
    throw this.shapeless(placeOf(from, paths), expected, "nothing");
  }
}

/**
 * Returns the parameters in an object of the payload. Numbers and booleans become strings. Values that are
 * not strings, numbers or booleans are skipped.
 */
function queryOf(page: Page, path: string): Array<readonly [name: string, value: string]> {
  const query = objectIn(valueAt(page.payload, path));
  if (query === undefined) return [];
  return Object.keys(query).flatMap((name) => {
    // a key may contain dots
    const value = page.pick(({ payload }) => {
      const object = objectIn(valueAt(payload, path));
      return object && ownValue(object, name);
    });
    return isScalar(value) ? [[name, String(value)] as const] : [];
  });
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== null && value !== undefined && (typeof value !== "object" || value instanceof NumberText);
}

/** Reports whether the items of a page are needed to find the next page. */
function needsItems(next: NextPage): boolean {
  return next.kind === "cursor" ? next.from === "last_item" : next.kind === "step" && next.by === "items";
}

/** Returns the total that a page states, or undefined if the page states no total or contradicts it. */
function totalIn({ by, total }: Pick<Advance<"step">, "by" | "total">, page: Page): number | undefined {
  const all = statedTotal(total, page);
  return all === undefined || all < leastTotal(by, page) ? undefined : all;
}

function statedTotal(path: string | undefined, { payload }: Page): number | undefined {
  return path === undefined ? undefined : countIn(valueAt(payload, path));
}

/**
 * Returns the minimum total that a page implies: the number of its items or, for a total number of pages, one
 * page if it has items.
 */
function leastTotal(by: Advance<"step">["by"], { items }: Page): number {
  return by === "items" ? items.length : Math.min(items.length, 1);
}

function lostTotal({ by, total }: Advance<"step">, page: Page): FoundDifferences {
  const all = statedTotal(total, page);
  const least = leastTotal(by, page);
  if (total === undefined || all === undefined || all >= least) return NO_DIFFERENCES;
  return lostAt(declaredText(total), `a total of ${least} or more`, "number");
}

function isZero(value: JsonValue | undefined): boolean {
  const number = countIn(value);
  return number !== undefined && Number(number) === 0;
}

function cursorOf(
  { from, paths }: Advance<"cursor">,
  page: Page,
  response: ReadResponse,
): JsonValue | undefined {
  if (from === "header") return response.header(paths[0] ?? "");
  if (from === "last_item") return valueOfLast(paths, page);
  return page.pick(({ payload }) => cursorAt(paths)(payload, () => {}));
}

function valueOfLast(paths: readonly string[], page: Page): JsonValue | undefined {
  return cursorInItem(paths, page, page.items.length - 1);
}

/** Reports a `Link` header without angle brackets, since it may contain the link to the next page. */
function lostLinks(links: string | undefined, rel: string): FoundDifferences {
  if (links === undefined || linkTarget(links, rel) !== undefined || !hasBrokenLinks(links)) {
    return NO_DIFFERENCES;
  }
  return lostAt("Link", "links in <>", "string");
}

function placeInLast({ path, items }: Page, ...below: readonly string[]): string {
  return joinedPath(`${declaredText(path)}[${items.length - 1}]`, below.map(declaredText).join(" or "));
}

/** Returns the names of alternative headers, or of alternative declared paths, for messages. */
function placeOf(from: "payload" | "last_item" | "header", paths: readonly string[]): string {
  return (from === "header" ? paths : paths.map(declaredText)).join(" or ");
}

function gotAt(root: JsonValue | undefined, path: string): string {
  const value = valueAt(root, path);
  return value === undefined ? "nothing" : value === "" ? "empty string" : jsonTypeOf(value);
}
