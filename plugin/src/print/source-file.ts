import type { DescFile } from "@bufbuild/protobuf";
import type { ImportOptions } from "../protocol/options.ts";
import { asJavaScript, asTypeScript } from "./erasable.ts";
import { messagesModule, specifierOf } from "./import-paths.ts";
import { breakLongLines } from "./long-lines.ts";

interface Import {
  readonly name: string;
  readonly local: string;
  readonly typeOnly: boolean;
  /** Whether only declarations use the import. */
  readonly declaredOnly: boolean;
}

/** The globals that generated code uses. A message with such a name is imported under another name. */
const GLOBALS = ["Array", "Object", "Partial", "ReadonlySet", "Set", "String", "undefined"];

/** The names inside printed functions: parameters, variables, and keywords. */
const FUNCTION_NAMES: ReadonlySet<string> = new Set(
  `by bytes hasParts index item json key member message out request response value BigInt Number Uint8Array
  arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public
  return static super switch this throw true try typeof var void while with yield`.split(/\s+/),
);

/** The text of a generated TypeScript file: its lines, and the imports that they need. */
export class SourceFile {
  private body: string[] = [];
  private readonly imports = new Map<string, Map<string, Import>>();
  private readonly taken = new Set(GLOBALS);
  private readonly locals = new Set<string>();
  private readonly options: ImportOptions;
  /** The path of the file relative to the output directory, with the extension `.ts`. */
  readonly path: string;

  constructor(path: string, options: ImportOptions) {
    this.path = path;
    this.options = options;
  }

  /** Adds lines, each without its line end. */
  add(...lines: readonly string[]): void {
    this.body.push(...lines);
  }

  /** Adds lines before all others. */
  addInFront(lines: readonly string[]): void {
    this.body = [...lines, ...this.body];
  }

  /** The identifiers that the file declares or imports, and the reserved ones. */
  get names(): ReadonlySet<string> {
    return this.taken;
  }

  /** Whether the file has no lines. */
  get isEmpty(): boolean {
    return this.body.length === 0;
  }

  /** Claims an identifier for the file. Appends `$` if the identifier is taken. */
  claim(ideal: string): string {
    let name = ideal;
    while (this.taken.has(name)) name += "$";
    this.taken.add(name);
    return name;
  }

  /** Claims an identifier for local variables, which several functions may use. */
  claimLocal(ideal: string): string {
    let name = ideal;
    while (FUNCTION_NAMES.has(name) || (this.taken.has(name) && !this.locals.has(name))) name += "$";
    this.taken.add(name);
    this.locals.add(name);
    return name;
  }

  /** Replaces each added line with one or several lines. */
  replaceLines(replace: (line: string) => readonly string[]): void {
    const lines = this.body
      .splice(0)
      .flatMap((text) => text.split("\n"))
      .flatMap(replace);
    // added one by one: a call cannot have a hundred thousand arguments
    for (const line of lines) this.body.push(line);
  }

  /** Imports a value from a package, and returns its name in the file. */
  value(name: string, from: string): string {
    return this.import(name, from, { typeOnly: false, declaredOnly: false });
  }

  /** Imports a type from a package, and returns its name in the file. */
  type(name: string, from: string): string {
    return this.import(name, from, { typeOnly: true, declaredOnly: false });
  }

  /** Imports a type from a package into the declarations of the file, and returns its name there. */
  declaredType(name: string, from: string): string {
    return this.import(name, from, { typeOnly: true, declaredOnly: true });
  }

  /**
   * Returns the module specifier of another generated file, relative to this file. `target` has no extension.
   */
  relative(target: string): string {
    return specifierOf(this.path, `./${target}.js`, this.options);
  }

  /** Returns the module specifier of the messages of a .proto file. */
  messages(desc: DescFile): string {
    return specifierOf(this.path, messagesModule(desc, this.options), this.options);
  }

  /** Returns the module specifier of a package. */
  package(name: string): string {
    return specifierOf(this.path, name, this.options);
  }

  private import(name: string, from: string, use: Pick<Import, "typeOnly" | "declaredOnly">): string {
    const module = this.imports.get(from) ?? new Map<string, Import>();
    this.imports.set(from, module);
    const known = module.get(name);
    if (known !== undefined) {
      module.set(name, {
        ...known,
        typeOnly: known.typeOnly && use.typeOnly,
        declaredOnly: known.declaredOnly && use.declaredOnly,
      });
      return known.local;
    }
    const local = this.claim(name);
    module.set(name, { name, local, ...use });
    return local;
  }

  /** Returns the text of the file: `head`, the imports, then the lines. Ends with a line feed. */
  toString(head: readonly string[], afterImports: readonly string[], target: "ts" | "js" = "ts"): string {
    const imports = this.importLines(
      ({ typeOnly, declaredOnly }) => !declaredOnly && (target === "ts" || !typeOnly),
    );
    const text = `${[...head, "", ...imports, ...afterImports, ...this.body].join("\n")}\n`;
    return breakLongLines(target === "ts" ? asTypeScript(text) : asJavaScript(text));
  }

  /** Returns the text of the declarations, with the imports that they use, all as types. */
  toDeclarations(
    head: readonly string[],
    afterImports: readonly string[],
    declarations: readonly string[],
  ): string {
    const code = declarations.filter((line) => line.startsWith("export ")).join("\n");
    const words = new Set(code.match(/[\w$]+/g));
    const imports = this.importLines(({ local }) => words.has(local), true);
    // a file without an import or an export would not be a module
    const empty = code === "" && imports.length === 0 ? ["export {};"] : [];
    return breakLongLines(
      `${[...head, "", ...imports, ...afterImports, ...declarations, ...empty].join("\n")}\n`,
    );
  }

  private importLines(isWanted: (item: Import) => boolean, asTypes = false): string[] {
    return [...this.imports]
      .sort(([a], [b]) => importOrder(a, b))
      .map(([from, names]): [string, Import[]] => [from, [...names.values()].filter(isWanted)])
      .filter(([, names]) => names.length > 0)
      .map(([from, names]) => {
        const items = asTypes ? names.map((item) => ({ ...item, typeOnly: true })) : names;
        return printImport(from, items);
      });
  }
}

/** Sorts packages before relative paths, and each group alphabetically. */
function importOrder(a: string, b: string): number {
  const relative = Number(a.startsWith(".")) - Number(b.startsWith("."));
  return relative !== 0 ? relative : a < b ? -1 : 1;
}

function printImport(from: string, imports: readonly Import[]): string {
  const allTypes = imports.every((item) => item.typeOnly);
  const names = [...imports]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, local, typeOnly }) => {
      const text = name === local ? name : `${name} as ${local}`;
      return typeOnly && !allTypes ? `type ${text}` : text;
    });
  const line = `import ${allTypes ? "type " : ""}{ ${names.join(", ")} } from "${from}";`;
  if (line.length <= 110) return line;
  return `import ${allTypes ? "type " : ""}{\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}
