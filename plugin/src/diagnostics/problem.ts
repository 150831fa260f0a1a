import type { AnyDesc } from "@bufbuild/protobuf";
import { qualifiedName } from "@bufbuild/protobuf/reflect";
import { oneLine } from "./one-line.ts";
import type { Position } from "./origin.ts";
import { positionOf } from "./position.ts";

/** A fault of the input: its message with the remedy, and its position. */
export interface Problem {
  readonly position: Position;
  /** The stable name of the kind of fault, for example `path-syntax`. docs/diagnostics.md explains each. */
  readonly code: string;
  readonly text: string;
  /**
   * Whether the rule is valid, but no REST call can implement it. With `unsupported=skip` the method is
   * omitted.
   */
  readonly unsupported: boolean;
}

/**
 * The option of a descriptor that a problem is about: the field number of the extension and the path inside
 * it.
 */
export type OptionPath = readonly number[];

/** The codes of problems that report an unsupported rule, not a fault. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  "stream-unmapped",
  "path-wildcard",
  "query-map",
  "query-recursion",
  "query-repeated-message",
  "query-type",
  "type-unsupported",
  "body-verb",
]);

/** Collects the problems of a run, so that all of them are reported together. */
export class Problems {
  private readonly found: Problem[] = [];
  private readonly protoPath: string;

  /** @param protoPath the directory of the .proto files, which compilers omit; empty by default */
  constructor(protoPath = "") {
    this.protoPath = protoPath;
  }

  /**
   * @param desc the element with the problem
   * @param option the path in the options of the element, as field numbers; empty for the element itself
   */
  add(desc: AnyDesc, option: OptionPath, code: string, text: string): void {
    this.addAt(positionOf(desc, option), code, text);
  }

  /** Adds a problem at a position, which may be outside of .proto files. */
  addAt(position: Position, code: string, text: string): void {
    this.found.push({ position, code, text: oneLine(text), unsupported: UNSUPPORTED.has(code) });
  }

  /** Adds the problems of another collection. */
  addAll(problems: Iterable<Problem>): void {
    this.found.push(...problems);
  }

  [Symbol.iterator](): Iterator<Problem> {
    return this.found[Symbol.iterator]();
  }

  get size(): number {
    return this.found.length;
  }

  /** Returns one line of limited length for each problem, in the order of files and lines. */
  lines(): string[] {
    const sorted = [...this.found].sort(
      (a, b) =>
        compare(a.position.file, b.position.file) ||
        a.position.line - b.position.line ||
        a.position.column - b.position.column ||
        compare(a.code, b.code) ||
        compare(a.text, b.text),
    );
    const lines = sorted.map(({ position, code, text }) => {
      return `${oneLine(this.pathOf(position))}:${position.line}:${position.column}: ${code}: ${text}`;
    });
    return [...new Set(lines)];
  }

  private pathOf({ file }: Position): string {
    return this.protoPath !== "" && file.endsWith(".proto") ? `${this.protoPath}/${file}` : file;
  }

  toString(): string {
    return this.lines().join("\n");
  }
}

/** Returns the name of an element for the message of a problem. */
export function nameOf(desc: AnyDesc): string {
  return qualifiedName(desc);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
