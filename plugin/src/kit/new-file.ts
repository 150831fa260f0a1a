import { SourceFile } from "../print/source-file.ts";
import type { ImportOptions } from "../protocol/options.ts";
import { Writer } from "./writer.ts";

/** A file that a generator makes. */
export class NewFile extends Writer {
  private readonly source: SourceFile;

  constructor(path: string, options: ImportOptions) {
    super(path, options);
    this.source = new SourceFile(path, options);
  }

  /** Adds lines. */
  add(...lines: readonly string[]): void {
    this.source.add(...lines);
  }

  override importValue(name: string, from: string): string {
    return this.source.value(name, from);
  }

  override importType(name: string, from: string): string {
    return this.source.type(name, from);
  }

  override claim(ideal: string): string {
    return this.source.claim(ideal);
  }

  /** The text of the file. */
  print(head: readonly string[]): string {
    return this.source.toString(head, []);
  }
}
