interface Import {
  readonly local: string;
  readonly typeOnly: boolean;
}

/** The imports that a generator adds to a file of another generator. */
export class Imports {
  private readonly modules = new Map<string, Map<string, Import>>();
  private readonly claim: (name: string) => string;

  /** @param claim returns a name that the file can use for an imported name */
  constructor(claim: (name: string) => string) {
    this.claim = claim;
  }

  /**
   * Imports a name from a module, and returns its name in the file. A name used both as a value and as a type
   * is imported once.
   */
  add(name: string, from: string, typeOnly: boolean): string {
    const module = this.modules.get(from) ?? new Map<string, Import>();
    this.modules.set(from, module);
    const known = module.get(name);
    const local = known?.local ?? this.claim(name);
    module.set(name, { local, typeOnly: typeOnly && (known?.typeOnly ?? true) });
    return local;
  }

  /** Returns one line per module, sorted: packages first, then relative paths. */
  lines(): string[] {
    return [...this.modules].sort(([a], [b]) => compare(keyOf(a), keyOf(b))).map(printImport);
  }
}

function keyOf(from: string): string {
  return (from.startsWith(".") ? "1" : "0") + from;
}

function printImport([from, module]: [string, ReadonlyMap<string, Import>]): string {
  const allTypes = [...module.values()].every(({ typeOnly }) => typeOnly);
  const names = [...module]
    .sort(([a], [b]) => compare(a, b))
    .map(([name, { local, typeOnly }]) => {
      const text = name === local ? name : `${name} as ${local}`;
      return typeOnly && !allTypes ? `type ${text}` : text;
    });
  return `import ${allTypes ? "type " : ""}{ ${names.join(", ")} } from ${JSON.stringify(from)};`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
