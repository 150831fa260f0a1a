import type { ScalarKind } from "../table/kinds.ts";
import { integerFromText } from "./scalar.ts";

/**
 * The keys of one map. In JSON all keys are text, which may spell one key of a map in several ways: `1` and
 * `1.0`, or two texts with lone surrogates, which UTF-8 cannot tell apart.
 */
export class MapKeys {
  readonly kind: ScalarKind;
  private taken: Set<string> | undefined;

  constructor(kind: ScalarKind) {
    this.kind = kind;
  }

  /** The key that a text spells; undefined where it spells none of this type. */
  read(name: string): string | number | bigint | boolean | undefined {
    if (this.kind === "string") return name;
    if (this.kind === "bool") return name === "true" ? true : name === "false" ? false : undefined;
    return integerFromText(name);
  }

  /** Whether an earlier text spelled the same key. */
  has(name: string): boolean {
    return this.taken?.has(this.spelling(name)) === true;
  }

  /** Remembers a key. */
  add(name: string): void {
    // keys of an object differ, and so do texts that UTF-8 holds as they are
    if (this.kind === "bool" || (this.kind === "string" && !isReplaced(name))) return;
    this.taken ??= new Set();
    this.taken.add(this.spelling(name));
  }

  private spelling(name: string): string {
    return this.kind === "string" ? name.toWellFormed() : String(this.read(name));
  }
}

/** Whether a text has, or becomes one with, U+FFFD. */
function isReplaced(text: string): boolean {
  return !text.isWellFormed() || text.includes("\ufffd");
}
