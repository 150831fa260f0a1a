interface Import {
  readonly local: string;
  readonly typeOnly: boolean;
}

/** The imports that a generator adds to a file of another one. */
export class Imports {
  private readonly modules = new Map<string, Map<string, Import>>();
  private readonly claim: (name: string) => string;

  /** @param claim makes a name that the file can use, from that of what is imported */
  constructor(claim: (name: string) => string) {
    this.claim = claim;
  }

  /** How the file calls what a module exports. Used both as value and as type, it is imported once. */
  add(name: string, from: string, typeOnly: boolean): string {
    const module = this.modules.get(from) ?? new Map<string, Import>();
    this.modules.set(from, module);
    const known = module.get(name);
    const local = known?.local ?? this.claim(name);
    module.set(name, { local, typeOnly: typeOnly && (known?.typeOnly ?? true) });
    return local;
  }

  /** One line a module: packages first, then relative paths, each in the order of their text. */
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
