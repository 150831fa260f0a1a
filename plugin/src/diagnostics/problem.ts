import type { AnyDesc } from "@bufbuild/protobuf";
import { qualifiedName } from "@bufbuild/protobuf/reflect";
import { oneLine } from "./one-line.ts";
import type { Position } from "./origin.ts";
import { positionOf } from "./position.ts";

/** A fault of the input: what is wrong, where, and what to do about it. */
export interface Problem {
  readonly position: Position;
  /** Stable name of the kind of fault, e.g. `path-syntax`; docs/diagnostics.md explains each. */
  readonly code: string;
  readonly text: string;
  /**
   * The rule is right, but there is no REST call for what it asks;
   * with `unsupported=skip` the method is left out.
   */
  readonly unsupported: boolean;
}

/** Which option of a descriptor a problem is about: the extension's field number and the path below it. */
export type OptionPath = readonly number[];

/** Codes of problems that say what cannot be mapped, and not that something is wrong. */
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

  /** @param protoPath the directory of the .proto files, which compilers leave out; default: none */
  constructor(protoPath = "") {
    this.protoPath = protoPath;
  }

  /**
   * @param desc the element that the problem is about
   * @param option where in the element's options, as field numbers; empty for the element itself
   */
  add(desc: AnyDesc, option: OptionPath, code: string, text: string): void {
    this.addAt(positionOf(desc, option), code, text);
  }

  /** Adds a problem by its place, also in a file that is no .proto file. */
  addAt(position: Position, code: string, text: string): void {
    this.found.push({ position, code, text: oneLine(text), unsupported: UNSUPPORTED.has(code) });
  }

  /** Takes over the problems of another collection. */
  addAll(problems: Iterable<Problem>): void {
    this.found.push(...problems);
  }

  [Symbol.iterator](): Iterator<Problem> {
    return this.found[Symbol.iterator]();
  }

  get size(): number {
    return this.found.length;
  }

  /** One line a problem, of bounded length, in the order of the files and lines. */
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

/** How an element is called in a problem's text. */
export function nameOf(desc: AnyDesc): string {
  return qualifiedName(desc);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
