import type { DescEnum, DescFile, DescMessage, DescService } from "@bufbuild/protobuf";
import { descriptorName, exportedNames, typeName } from "../descriptors/names.ts";
import type { JsonStyle } from "../model/rules.ts";
import type { TypeModels } from "../model/types.ts";
import type { ImportOptions } from "../protocol/options.ts";
import { END, IMPORTS, insertionPoint } from "./insertion-point.ts";
import { SourceFile } from "./source-file.ts";

/** The module from which generated code imports its runtime. */
const RUNTIME = "connect-rest-runtime/adapter";

/**
 * Returns the path of the generated file relative to the output directory, without extension:
 * `blog/v1/post_rest`.
 */
export function adapterPath(desc: DescFile): string {
  return `${desc.name}_rest`;
}

/** A function or constant of a file. */
interface Part {
  readonly name: string;
  readonly lines: readonly string[];
  /**
   * The place in the file. Functions follow the services; the constants that services refer to precede them.
   */
  readonly place: PartPlace;
}

/** The places in a file, in this order. */
type PartPlace = "types" | "tables" | "functions";

/**
 * The files of a run. The table of a message or enum is in the generated file of its .proto file, if that
 * .proto file is in the same run.
 */
export class Generation {
  private readonly files: ReadonlyMap<DescFile, AdapterFile>;

  constructor(descs: readonly DescFile[], types: TypeModels, options: ImportOptions) {
    const sorted = [...descs].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.files = new Map(sorted.map((desc) => [desc, new AdapterFile(desc, types, options, this)]));
  }

  /** Returns all files, sorted by name. */
  all(): AdapterFile[] {
    return [...this.files.values()];
  }

  /** Returns the generated file of a .proto file; undefined if this run does not generate the file. */
  file(desc: DescFile): AdapterFile | undefined {
    return this.files.get(desc);
  }
}

/**
 * A file `x_rest.ts` in progress: the source file, and the tables and encoders that methods need. Each table
 * and encoder is printed once. They are sorted by name, so that the output does not depend on the order in
 * which methods need them.
 */
export class AdapterFile {
  readonly source: SourceFile;
  readonly desc: DescFile;
  /** The models of fields, oneofs and enum values. */
  readonly types: TypeModels;
  /** The style of the first service in the file. It determines the names of encoders. */
  style: JsonStyle | undefined;
  private readonly generation: Generation;
  private readonly parts: Part[] = [];
  private readonly declarations = new Map<string, readonly string[]>();
  private readonly names = new Map<unknown, Map<string, string>>();
  private readonly marked = new Set([IMPORTS, END]);

  constructor(desc: DescFile, types: TypeModels, options: ImportOptions, generation: Generation) {
    this.desc = desc;
    this.types = types;
    this.generation = generation;
    this.source = new SourceFile(`${adapterPath(desc)}.ts`, options);
  }

  /** The names of the insertion points. */
  get points(): ReadonlySet<string> {
    return this.marked;
  }

  /** Returns the line of an insertion point, and adds it to the points of the file. */
  insertionPoint(name: string): string {
    this.marked.add(name);
    return insertionPoint(name);
  }

  /** Imports a value of the runtime. */
  runtimeValue(name: string): string {
    return this.source.value(name, this.source.package(RUNTIME));
  }

  /** Imports a type of the runtime. */
  runtimeType(name: string): string {
    return this.source.type(name, this.source.package(RUNTIME));
  }

  /** Imports a type of the runtime into the declarations. */
  declaredType(name: string): string {
    return this.source.declaredType(name, this.source.package(RUNTIME));
  }

  /** Records the declaration of an exported name, for `.d.ts`. */
  declare(name: string, lines: readonly string[]): void {
    this.declarations.set(name, lines);
  }

  /** Returns all declarations: services first, then the others sorted by name. */
  declarationLines(): string[] {
    const parts = new Set(this.parts.map((part) => part.name));
    const all = [...this.declarations];
    const own = all.filter(([name]) => !parts.has(name));
    const others = all.filter(([name]) => parts.has(name)).sort(([a], [b]) => (a < b ? -1 : 1));
    return [...own, ...others].flatMap(([, lines]) => ["", ...lines]);
  }

  /** Imports the constant that describes a service. */
  service(desc: DescService): string {
    return this.source.value(descriptorName(desc), this.source.messages(desc.file));
  }

  /** Imports the type of a message or enum. */
  messageType(desc: DescMessage | DescEnum): string {
    return this.source.type(typeName(desc), this.source.messages(desc.file));
  }

  /** Returns an expression for an empty message. */
  emptyMessage(desc: DescMessage): string {
    const schema = this.source.value(descriptorName(desc), this.source.messages(desc.file));
    return `${this.source.value("create", this.source.package("@bufbuild/protobuf"))}(${schema})`;
  }

  /** Returns the constant with the types that a google.protobuf.Any in this file may contain. */
  anyTypes(): string {
    const { desc } = this;
    const print = (name: string) => {
      const descriptor = exportedNames(desc).descriptors.get(desc);
      if (descriptor === undefined) throw new Error(`${desc.name} has no exported name`);
      const file = this.source.value(descriptor, this.source.messages(desc));
      return [`const ${name} = ${this.runtimeValue("typesOf")}(${file});`];
    };
    return this.part(desc, "TYPES", print, "types");
  }

  /** Returns the table of a google.protobuf.Any with the types of this file. */
  anyTable(): string {
    const types = this.anyTypes();
    const print = (name: string) => [`const ${name} = ${this.runtimeValue("anyTable")}(${types});`];
    return this.part("any", "AnyTable", print, "tables");
  }

  /**
   * Returns the name of a constant or function of this file. Calls `print` with the name on the first call.
   */
  part(
    subject: unknown,
    ideal: string,
    print: (name: string) => readonly string[],
    place: PartPlace = "functions",
  ): string {
    const byIdeal = this.names.get(subject) ?? new Map<string, string>();
    this.names.set(subject, byIdeal);
    const known = byIdeal.get(ideal);
    if (known !== undefined) return known;
    const name = this.source.claim(ideal);
    // register the name before `print` runs: messages may be recursive
    byIdeal.set(ideal, name);
    this.parts.push({ name, lines: print(name), place });
    return name;
  }

  /**
   * Like `part`, for the table of a message or enum. The table is in the file of that type, if that file is
   * generated.
   */
  sharedTable(
    desc: DescMessage | DescEnum,
    ideal: string,
    print: (name: string, file: AdapterFile) => readonly string[],
  ): string {
    const home = this.generation.file(desc.file) ?? this;
    const name = home.part(desc, ideal, (claimed) => print(claimed, home), "tables");
    return home === this ? name : this.source.value(name, this.source.relative(adapterPath(home.desc)));
  }

  /** Whether the file has no content. */
  get isEmpty(): boolean {
    return this.parts.length === 0 && this.source.isEmpty;
  }

  /** Returns the parts in a place, each after an empty line. */
  partLines(place: PartPlace): string[] {
    return this.parts
      .filter((part) => part.place === place)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((part) => ["", ...part.lines]);
  }
}

const SUFFIXES = {
  names: { lowerCamel: "LowerCamel", asDeclared: "AsDeclared" },
  integers: { strings: "Quoted", numbers: "Bare" },
  required: { sent: "Required", omitted: "Optional" },
} as const;

/**
 * Returns a name suffix for encoders of a message in a style that differs from the usual style of the file.
 */
export function styleSuffix(style: JsonStyle, usual: JsonStyle): string {
  const names = style.names === usual.names ? "" : SUFFIXES.names[style.names];
  const integers = style.integers === usual.integers ? "" : SUFFIXES.integers[style.integers];
  return names + integers + (style.required === usual.required ? "" : SUFFIXES.required[style.required]);
}
