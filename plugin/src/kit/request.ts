import type { AnyDesc, DescFile } from "@bufbuild/protobuf";
import { type OptionPath, Problems } from "../diagnostics/problem.ts";
import { prepare } from "../generate.ts";
import type { Input } from "../input.ts";
import type { TypeModels } from "../model/types.ts";
import { typeModels } from "../parse/types.ts";
import type { Options } from "../protocol/options.ts";
import { pathFault } from "../protocol/output-path.ts";
import { AdapterFile, adapterFilePath } from "./adapter-file.ts";
import { NewFile } from "./new-file.ts";
import type { OptionSpecs, OptionValues, ParsedOptions } from "./options.ts";

/** The request to a generator, which also collects the response. */
export class KitRequest<Specs extends OptionSpecs = OptionSpecs> {
  /** The files to generate code for, sorted by name. */
  readonly files: readonly DescFile[];
  /** The options of this generator. */
  readonly options: OptionValues<Specs>;
  private readonly input: Input;
  private readonly common: Options;
  private readonly suffix: string;
  private readonly problems = new Problems();
  private readonly made = new Map<string, NewFile>();
  private known: ReadonlyMap<string, AdapterFile> | undefined;

  /** @internal */
  constructor(input: Input, parsed: ParsedOptions<Specs>, suffix: string) {
    this.files = [...input.files].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.options = parsed.own;
    this.input = input;
    this.common = parsed.common;
    this.suffix = suffix;
  }

  /**
   * The files that protoc-gen-connect-rest generates for the same files and options, sorted by path. Empty if
   * the .proto files have problems, since protoc-gen-connect-rest then reports these.
   */
  get adapterFiles(): readonly AdapterFile[] {
    return [...this.byPath().values()];
  }

  /**
   * The options of fields, oneofs and enum values as models, by descriptor: for the messages in `files` and
   * all messages that they refer to.
   */
  get types(): TypeModels {
    return typeModels;
  }

  /**
   * Returns the file `x_rest.ts` of a .proto file; undefined if the .proto file has nothing that is mapped to
   * REST.
   */
  adapterFile(desc: DescFile): AdapterFile | undefined {
    return this.byPath().get(adapterFilePath(desc));
  }

  /**
   * Creates a file.
   *
   * @param path the path relative to the output directory, with `/` between components
   * @param source the .proto file from which the file is generated; its first line names it
   * @throws Error if the path is unsafe or the file exists
   */
  newFile(path: string, source?: DescFile): NewFile {
    const fault = pathFault(path);
    if (fault !== undefined) throw new Error(`the path \`${path}\` cannot be written: ${fault}`);
    if (this.made.has(path) || this.byPath().has(path)) {
      throw new Error(`the file \`${path}\` is already generated`);
    }
    const file = new NewFile(path, this.common, source);
    this.made.set(path, file);
    return file;
  }

  /**
   * Reports a fault of a .proto file. If a fault is reported, nothing is generated. All faults are shown
   * together, each as `file:line:col: code: text`.
   *
   * @param desc the element with the fault
   * @param code the stable name of the kind of fault, for example `tool-name`
   * @param option the path in the options of the element, as field numbers; omitted for the element itself
   */
  error(desc: AnyDesc, code: string, text: string, option: OptionPath = []): void {
    this.problems.add(desc, option, code, text);
  }

  /**
   * All faults, one per line; an empty string if no fault was reported.
   *
   * @internal
   */
  get faults(): string {
    return this.problems.toString();
  }

  /**
   * The created files, sorted by path.
   *
   * @internal
   */
  get newFiles(): readonly NewFile[] {
    return sorted(this.made.values());
  }

  /**
   * Prints the adapters again, without assembling their text, because a compiler does not show a generator
   * the output of another. The result is the same: printing is a pure function of the request.
   */
  private byPath(): ReadonlyMap<string, AdapterFile> {
    this.known ??= this.prepared();
    return this.known;
  }

  private prepared(): Map<string, AdapterFile> {
    const { models = [], adapters = [] } = prepare(this.input.files, this.common, this.input.problems);
    const services = new Map(models.map((model) => [model.desc, model.services]));
    const files = adapters.map(
      (printed) => new AdapterFile(printed, services.get(printed.desc) ?? [], this.common, this.suffix),
    );
    return new Map(sorted(files).map((file) => [file.path, file]));
  }
}

function sorted<T extends { readonly path: string }>(files: Iterable<T>): T[] {
  return [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}
