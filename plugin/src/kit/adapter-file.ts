import type { DescFile } from "@bufbuild/protobuf";
import type { ServiceModel } from "../model/model.ts";
import { adapterPath, type AdapterFile as PrintedAdapter } from "../print/adapter-file.ts";
import { IMPORTS } from "../print/insertion-point.ts";
import type { ImportOptions } from "../protocol/options.ts";
import { DIALECTS } from "./dialect.ts";
import { Imports } from "./imports.ts";
import { Writer } from "./writer.ts";

/** A text to insert at an insertion point. */
export interface Insertion {
  readonly point: string;
  readonly content: string;
}

/** A file `x_rest.ts` that protoc-gen-connect-rest generates in the same run, with the insertions into it. */
export class AdapterFile extends Writer {
  /** The .proto file from which the file is generated. */
  readonly desc: DescFile;
  /**
   * The services with an adapter, each with its methods that have an HTTP rule; empty if the file contains
   * only decoders. The models are frozen.
   */
  readonly services: readonly ServiceModel[];
  /** The names of the insertion points. */
  readonly points: ReadonlySet<string>;
  /** The identifiers that the file declares or imports. */
  readonly names: ReadonlySet<string>;
  private readonly suffix: string;
  private readonly claimed = new Set<string>();
  private readonly lines = new Map<string, string[]>();
  private readonly imports = new Imports((name) => this.claim(`${name}$${this.suffix}`));

  /**
   * @internal
   * @param suffix appended to each imported name, so that the names of several generators in the same file do
   *   not collide
   */
  constructor(
    printed: PrintedAdapter,
    services: readonly ServiceModel[],
    options: ImportOptions,
    suffix: string,
  ) {
    super(printed.source.path, options);
    this.desc = printed.desc;
    this.services = services;
    this.points = printed.points;
    this.names = printed.source.names;
    this.suffix = suffix;
  }

  /**
   * Reports whether the file has an insertion point. A method that is not mapped to REST has no insertion
   * point.
   */
  has(point: string): boolean {
    return this.points.has(point);
  }

  /**
   * Inserts lines at an insertion point, after lines inserted earlier.
   *
   * @throws Error if the file does not have the insertion point, and for lines that compilers treat
   *   differently: with a carriage return, longer than 65535 bytes, or with the marker of an insertion point
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
    while (this.names.has(name) || this.claimed.has(name)) name += "$";
    this.claimed.add(name);
    return name;
  }

  /**
   * Returns all insertions, imports first.
   *
   * @internal
   */
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

/**
 * Returns the path of the adapter file of a .proto file, relative to the output directory:
 * `blog/v1/post_rest.ts`.
 */
export function adapterFilePath(desc: DescFile): string {
  return `${adapterPath(desc)}.ts`;
}
