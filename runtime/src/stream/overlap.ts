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
   * What may have been left out between the page before and a page. The page before had a single value, and
   * was stepped past. If it was not full, it had room for what comes after it: in a list whose values fall,
   * items after it mean that it was cut all the same. In a list whose values grow, they may be new.
   */
  lostBefore({ path, items }: Page): FoundDifferences {
    const { steppedPast } = this;
    this.steppedPast = undefined;
    const isWhole = steppedPast === "short page" && (items.length === 0 || this.forward > 0n);
    if (steppedPast === undefined || isWhole) return NO_DIFFERENCES;
    return lostAt(path === "" ? "(root)" : path, "items with one cursor on one page", "more");
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
    if (this.bound === undefined || (bound - this.bound) * this.forward > 0n) return this.moveTo(bound);
    if (bound !== this.bound) return undefined;
    const full = size?.(message) || this.largest;
    this.steppedPast = items.length >= full ? "full page" : "short page";
    return this.moveTo(count + BigInt(past));
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
