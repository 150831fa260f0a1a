import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type FoundDifferences, type JsonValue, NO_DIFFERENCES } from "connect-rest-codec/internal";
import type { OverlapRule } from "../adapter/adapter.ts";
import { cursorCount } from "../request/cursor.ts";
import { keysOf } from "../response/item-key.ts";
import type { Page } from "../response/page.ts";

/**
 * Pages of a list by a value that its items share. Each page begins with the items that have the value of the
 * last item of the page before, so that none of them is left out. A page that has that value alone says
 * nothing of what comes after it: it is stepped past.
 */
export class Overlap {
  private readonly rule: OverlapRule;
  private seen: ReadonlySet<string> = new Set();
  /** What the page was asked for with; undefined for the first one. */
  private bound: bigint | undefined;
  /** The most items that a page had. */
  private largest = 0;
  /** The page before was stepped past, and it may have been cut within its value. */
  private steppedPast: "full page" | "short page" | undefined;

  constructor(rule: OverlapRule) {
    this.rule = rule;
  }

  /** The items that were not on the page before. */
  unseen(page: Page): readonly number[] {
    const keys = keysOf(this.rule, page);
    const { seen } = this;
    this.seen = new Set(keys);
    this.largest = Math.max(this.largest, keys.length);
    return [...keys.entries()].flatMap(([index, key]) => (seen.has(key) ? [] : [index]));
  }

  /**
   * What a page says of the one before it. That one had a single value, and was stepped past: if there are
   * items after it, it was cut within that value, since it had room for none of them.
   */
  lostBefore({ path, items }: Page): FoundDifferences {
    const { steppedPast } = this;
    this.steppedPast = undefined;
    if (steppedPast === undefined || (steppedPast === "short page" && items.length === 0))
      return NO_DIFFERENCES;
    const expected = "items with one cursor on one page";
    const difference = { path: path === "" ? "(root)" : path, expected, got: "more", class: "lost" } as const;
    return { list: [difference], counts: { ...NO_DIFFERENCES.counts, lost: 1 } };
  }

  /**
   * The cursor of the page after a page; undefined where it would go back.
   *
   * @param value of the last item
   * @param message the request for the page
   * @throws ConnectError CURSOR_INVALID
   */
  next({ items }: Page, value: JsonValue, message: MessageShape<DescMessage>): JsonValue | undefined {
    const { unit, again, past, size } = this.rule;
    const count = cursorCount(value, unit);
    const bound = count + BigInt(again);
    const forward = BigInt(past - again);
    if (this.bound === undefined || (bound - this.bound) * forward > 0n) return this.moveTo(bound);
    if (bound !== this.bound) return undefined;
    const full = size?.(message) || this.largest;
    this.steppedPast = items.length >= full ? "full page" : "short page";
    return this.moveTo(count + BigInt(past));
  }

  private moveTo(bound: bigint): JsonValue {
    this.bound = bound;
    const number = Number(bound);
    return Number.isSafeInteger(number) ? number : bound;
  }
}
