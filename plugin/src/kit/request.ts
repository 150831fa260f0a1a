import type { AnyDesc, DescFile } from "@bufbuild/protobuf";
import { type OptionPath, Problems } from "../diagnostics/problem.ts";
import type { Input } from "../input.ts";
import { pathFault } from "../protocol/output-path.ts";
import { AdapterInsertions } from "./adapter-file.ts";
import { Host } from "./host.ts";
import { NewFile } from "./new-file.ts";
import type { OptionSpecs, OptionValues, ParsedOptions } from "./options.ts";
import { adapterFilePath } from "./points.ts";

/** What a generator is asked for, and where it writes its answer. */
export class KitRequest<Specs extends OptionSpecs = OptionSpecs> {
  /** The files to generate code for, in the order of their names. */
  readonly files: readonly DescFile[];
  /** The generator's own options. */
  readonly options: OptionValues<Specs>;
  private readonly parsed: ParsedOptions<Specs>;
  private readonly host: Host;
  private readonly suffix: string;
  private readonly problems = new Problems();
  private readonly added = new Map<string, AdapterInsertions>();
  private readonly made = new Map<string, NewFile>();

  constructor(input: Input, parsed: ParsedOptions<Specs>, suffix: string) {
    this.files = [...input.files].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.options = parsed.own;
    this.parsed = parsed;
    this.host = new Host(input, parsed.common);
    this.suffix = suffix;
  }

  /**
   * The file `x_rest.ts` of a .proto file, to insert into. Undefined where protoc-gen-connect-rest makes none for the
   * same files and options: nothing of the .proto file is mapped to REST, or there are problems, which it reports.
   */
  adapterFile(desc: DescFile): AdapterInsertions | undefined {
    const path = adapterFilePath(desc);
    const host = this.host.file(path);
    if (host === undefined) return undefined;
    const file = this.added.get(path) ?? new AdapterInsertions(path, this.parsed.common, host, this.suffix);
    this.added.set(path, file);
    return file;
  }

  /**
   * Makes a file of the generator's own.
   *
   * @param path below the output directory, with `/` between components
   * @throws Error where the path is not safe or the file exists
   */
  newFile(path: string): NewFile {
    const fault = pathFault(path);
    if (fault !== undefined) throw new Error(`the path \`${path}\` cannot be written: ${fault}`);
    if (this.made.has(path) || this.host.file(path) !== undefined) {
      throw new Error(`the file \`${path}\` is already generated`);
    }
    const file = new NewFile(path, this.parsed.common);
    this.made.set(path, file);
    return file;
  }

  /**
   * Reports a fault of a .proto file. After a report nothing is generated; all faults are shown together, each as
   * `file:line:col: code: text`.
   *
   * @param desc the element that the fault is of
   * @param code stable name of the kind of fault, e.g. `tool-name`
   * @param option where in the element's options, as field numbers; left out for the element itself
   */
  error(desc: AnyDesc, code: string, text: string, option: OptionPath = []): void {
    this.problems.add(desc, option, code, text);
  }

  /** All faults, one a line; empty when there are none. */
  get faults(): string {
    return this.problems.toString();
  }

  /** The files made, in the order of their paths. */
  newFiles(): NewFile[] {
    return sorted(this.made);
  }

  /** The files inserted into, in the order of their paths. */
  adapterFiles(): AdapterInsertions[] {
    return sorted(this.added);
  }
}

function sorted<T>(byPath: ReadonlyMap<string, T>): T[] {
  return [...byPath].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file);
}
