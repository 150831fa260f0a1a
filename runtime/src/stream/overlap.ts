import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import {
  type FoundDifferences,
  type JsonValue,
  NO_DIFFERENCES,
  stringifyJson,
} from "connect-rest-codec/internal";
import type { OverlapRule } from "../adapter/adapter.ts";
import { cursorCount } from "../request/cursor.ts";
import { keysOf } from "../response/item-key.ts";
import type { Page } from "../response/page.ts";
import { cursorInItem } from "../response/page-places.ts";

/**
 * Pages of a list by a value that its items share. Each page begins with the items that have the value of the
 * last item of the page before, so that none of them is left out. A page that has that value alone says
 * nothing of what comes after it: it is stepped past.
 */
export class Overlap {
  private readonly rule: OverlapRule;
  private readonly paths: readonly string[];
  private seen: ReadonlySet<string> = new Set();
  /** What the page was asked for with; undefined for the first one. */
  private bound: bigint | undefined;
  /** The most items that a page had. */
  private largest = 0;
  /** The page before was stepped past, and it may have been cut within its value. */
  private steppedPast: "full page" | "short page" | undefined;

  /** @param paths where an item has the value */
  constructor(rule: OverlapRule, paths: readonly string[]) {
    this.rule = rule;
    this.paths = paths;
  }

  /** The items that were not on the page before: those with another value, whatever their key, or key. */
  unseen(page: Page): readonly number[] {
    const items = keysOf(this.rule, page).map(
      (key, index) => `${stringifyJson(this.valueOf(page, index) ?? null)} ${key}`,
    );
    const { seen } = this;
    this.seen = new Set(items);
    this.largest = Math.max(this.largest, items.length);
    return [...items.entries()].flatMap(([index, item]) => (seen.has(item) ? [] : [index]));
  }

  /**
   * Whether a page has nothing of the list: no item with a value, e.g. a single one that stands above every
   * page, and room for further ones.
   */
  isBare(page: Page, message: MessageShape<DescMessage>): boolean {
    return !this.hasValues(page) && !this.isFull(page, message);
  }

  /**
   * What may have been left out between the page before and a page. The page before had a single value, and
   * was stepped past. If it was not full, it had room for what comes after it: in a list whose values fall,
   * items after it mean that it was cut all the same. In a list whose values grow, they may be new.
   */
  lostBefore(page: Page): FoundDifferences {
    const { steppedPast } = this;
    this.steppedPast = undefined;
    const isWhole = steppedPast === "short page" && (this.forward > 0n || !this.hasValues(page));
    if (steppedPast === undefined || isWhole) return NO_DIFFERENCES;
    return lostAt(page.path === "" ? "(root)" : page.path, "items with one cursor on one page", "more");
  }

  /**
   * The cursor of the page after a page; undefined where it would go back.
   *
   * @param value of the last item
   * @param message the request for the page
   * @throws CursorFault
   */
  next(page: Page, value: JsonValue, message: MessageShape<DescMessage>): JsonValue | undefined {
    const { unit, again, past } = this.rule;
    const count = cursorCount(value, unit);
    const bound = count + BigInt(again);
    if (this.bound === undefined || (bound - this.bound) * this.forward > 0n) return this.moveTo(bound);
    if (bound !== this.bound) return undefined;
    this.steppedPast = this.isFull(page, message) ? "full page" : "short page";
    return this.moveTo(count + BigInt(past));
  }

  private isFull({ items }: Page, message: MessageShape<DescMessage>): boolean {
    return items.length >= (this.rule.size?.(message) || this.largest);
  }

  private hasValues(page: Page): boolean {
    return page.items.some((_, index) => this.valueOf(page, index) !== undefined);
  }

  private valueOf(page: Page, index: number): JsonValue | undefined {
    return cursorInItem(this.paths, page, index);
  }

  /** 1 where the values of the list grow, else -1. */
  private get forward(): bigint {
    return BigInt(this.rule.past - this.rule.again);
  }

  private moveTo(bound: bigint): JsonValue {
    this.bound = bound;
    const number = Number(bound);
    return Number.isSafeInteger(number) ? number : bound;
  }
}

/** One difference of a list, at a place that no message has. */
export function lostAt(path: string, expected: string, got: string): FoundDifferences {
  return {
    list: [{ path, expected, got, class: "lost" }],
    counts: { ...NO_DIFFERENCES.counts, lost: 1 },
  };
}
