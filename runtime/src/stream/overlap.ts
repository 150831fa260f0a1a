import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import {
  declaredText,
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
 * Pages through a list by a value that several items may share. Each page begins with the items that have the
 * same value as the previous page's last item, so that no item is missed. If all items on a page have that
 * value, it does not determine the next position, and the next request skips the value.
 */
export class Overlap {
  private readonly rule: OverlapRule;
  private readonly paths: readonly string[];
  private seen: ReadonlySet<string> = new Set();
  /** The cursor in the request for the page. Undefined for the first page. */
  private bound: bigint | undefined;
  /** The size of the largest page. */
  private largest = 0;
  /** Set if the value on the previous page was skipped although more items may have it. */
  private steppedPast: "full page" | "short page" | undefined;

  /** @param paths the paths of the value in an item */
  constructor(rule: OverlapRule, paths: readonly string[]) {
    this.rule = rule;
    this.paths = paths;
  }

  /** Returns the items that were not on the previous page. Such items differ in their value or their key. */
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
   * Reports whether a page has room for more items, although none of its items has a value. Such items may
   * be, for example, pinned on top of every page.
   */
  isBare(page: Page, message: MessageShape<DescMessage>): boolean {
    return !this.hasValues(page) && !this.isFull(page, message);
  }

  /**
   * Returns the differences for items that may be missing between the previous page and this page. All items
   * of the previous page had the same value, which was skipped. If the previous page was not full, it had
   * room for later items. In a list with descending values, later items then mean that the page was cut off
   * nevertheless. In a list with ascending values, later items may be new.
   */
  lostBefore(page: Page): FoundDifferences {
    const { steppedPast } = this;
    this.steppedPast = undefined;
    const isWhole = steppedPast === "short page" && (this.forward > 0n || !this.hasValues(page));
    if (steppedPast === undefined || isWhole) return NO_DIFFERENCES;
    return lostAt(declaredText(page.path) || "(root)", "items with one cursor on one page", "more");
  }

  /**
   * Returns the cursor of the next page, or undefined if it would go backwards.
   *
   * @param value the value of the last item
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

  /** 1 if the values in the list ascend, and -1 if they descend. */
  private get forward(): bigint {
    return BigInt(this.rule.past - this.rule.again);
  }

  private moveTo(bound: bigint): JsonValue {
    this.bound = bound;
    const number = Number(bound);
    return Number.isSafeInteger(number) ? number : bound;
  }
}

/** Returns one difference for a list. Its path does not belong to a message. */
export function lostAt(path: string, expected: string, got: string): FoundDifferences {
  return {
    list: [{ path, expected, got, class: "lost" }],
    counts: { ...NO_DIFFERENCES.counts, lost: 1 },
  };
}
