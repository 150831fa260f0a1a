import type { ImportOptions } from "../protocol/options.ts";
import { DIALECTS } from "./dialect.ts";
import type { HostFile } from "./host.ts";
import { Imports } from "./imports.ts";
import { IMPORTS } from "./points.ts";
import { Writer } from "./writer.ts";

/** Text for one insertion point. */
export interface Insertion {
  readonly point: string;
  readonly content: string;
}

/** What a generator adds to a file of protoc-gen-connect-rest. */
export class AdapterInsertions extends Writer {
  private readonly host: HostFile;
  private readonly suffix: string;
  private readonly claimed = new Set<string>();
  private readonly lines = new Map<string, string[]>();
  private readonly imports = new Imports((name) => this.claim(`${name}$${this.suffix}`));

  /** @param suffix goes behind each imported name, so that generators which add to the same file do not meet */
  constructor(path: string, options: ImportOptions, host: HostFile, suffix: string) {
    super(path, options);
    this.host = host;
    this.suffix = suffix;
  }

  /** Whether the file has an insertion point. A method that is not mapped to REST has none. */
  has(point: string): boolean {
    return this.host.points.has(point);
  }

  /**
   * Inserts lines at an insertion point; later calls add behind them.
   *
   * @throws Error where the file has no such point, and for lines on which compilers differ: with a carriage return,
   *   longer than 65535 bytes, or with the marker of an insertion point
   */
  insert(point: string, ...lines: readonly string[]): void {
    if (!this.has(point)) throw new Error(`${this.path} has no insertion point \`${point}\``);
    const split = lines.flatMap((line) => line.split("\n"));
    for (const line of split) this.checkLine(line);
    this.lines.set(point, [...(this.lines.get(point) ?? []), ...split]);
  }

  override importValue(name: string, from: string): string {
    return this.imports.add(name, from, false);
  }

  override importType(name: string, from: string): string {
    return this.imports.add(name, from, true);
  }

  override claim(ideal: string): string {
    let name = ideal;
    while (this.host.identifiers.has(name) || this.claimed.has(name)) name += "$";
    this.claimed.add(name);
    return name;
  }

  /** All insertions, imports first. */
  insertions(): Insertion[] {
    const imports = [...this.imports.lines(), ...(this.lines.get(IMPORTS) ?? [])];
    const others = [...this.lines].filter(([point]) => point !== IMPORTS);
    const all: Array<[string, string[]]> = [[IMPORTS, imports], ...others];
    return all
      .filter(([, lines]) => lines.length > 0)
      .map(([point, lines]) => ({ point, content: `${lines.join("\n")}\n` }));
  }

  private checkLine(line: string): void {
    const bytes = Buffer.byteLength(line);
    const fault = line.includes("\r")
      ? "has a carriage return, which buf removes"
      : bytes > DIALECTS.buf.longestLine
        ? `has ${bytes} bytes; buf loses lines of more than ${DIALECTS.buf.longestLine}`
        : line.includes("@@protoc_insertion_point(")
          ? "has the marker of an insertion point, which protoc and buf treat differently"
          : undefined;
    if (fault === undefined) return;
    throw new Error(`${this.path}: the line \`${line.slice(0, 80)}\` ${fault}`);
  }
}
