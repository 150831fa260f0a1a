import type { ScalarKind } from "../table/kinds.ts";
import { integerFromText } from "./scalar.ts";

/**
 * The keys of one map. JSON keys are strings, and several strings may represent the same key: `1` and `1.0`,
 * or two strings with lone surrogates, which are equal in UTF-8.
 */
export class MapKeys {
  readonly kind: ScalarKind;
  private taken: Set<string> | undefined;

  constructor(kind: ScalarKind) {
    this.kind = kind;
  }

  /** Returns the key that a string represents; undefined if the string is not a key of this type. */
  read(name: string): string | number | bigint | boolean | undefined {
    if (this.kind === "string") return name;
    if (this.kind === "bool") return name === "true" ? true : name === "false" ? false : undefined;
    return integerFromText(name);
  }

  /** Reports whether an earlier string represented the same key. */
  has(name: string): boolean {
    return this.taken?.has(this.spelling(name)) === true;
  }

  /** Records a key. */
  add(name: string): void {
    // keys of an object are distinct, and so are strings that UTF-8 represents exactly
    if (this.kind === "bool" || (this.kind === "string" && !isReplaced(name))) return;
    this.taken ??= new Set();
    this.taken.add(this.spelling(name));
  }

  private spelling(name: string): string {
    return this.kind === "string" ? name.toWellFormed() : String(this.read(name));
  }
}

/** Reports whether a string contains U+FFFD, or would contain it after encoding. */
function isReplaced(text: string): boolean {
  return !text.isWellFormed() || text.includes("\ufffd");
}
