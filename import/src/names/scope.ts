/** Assigns names in one scope, each only once. */
export class Scope {
  private readonly taken = new Set<string>();
  /** The last number that was appended to each name. */
  private readonly numbers = new Map<string, number>();
  private readonly identity: (name: string) => string;
  private readonly held: ReadonlySet<string>;

  /**
   * @param identity returns the identity of a name; names with the same identity count as equal
   * @param held reserved names, which only `take` assigns
   */
  constructor(identity: (name: string) => string = (name) => name, held: ReadonlySet<string> = new Set()) {
    this.identity = identity;
    this.held = held;
  }

  has(name: string): boolean {
    return this.taken.has(this.identity(name)) || this.held.has(name);
  }

  /** Reports whether a name is already assigned. */
  isTaken(name: string): boolean {
    return this.taken.has(this.identity(name));
  }

  take(name: string): string {
    this.taken.add(this.identity(name));
    return name;
  }

  /** Assigns the first of these names that is free. If none is free, appends a number to the last. */
  give(...names: readonly string[]): string {
    const free = names.find((name) => !this.has(name));
    if (free !== undefined) return this.take(free);
    const base = names.at(-1) ?? "";
    // the lower numbers are taken: names are never given back
    let number = this.numbers.get(base) ?? 2;
    while (this.has(numbered(base, number))) number += 1;
    this.numbers.set(base, number);
    return this.take(numbered(base, number));
  }
}

function numbered(name: string, number: number): string {
  if (/[A-Z]/.test(name) && !name.includes("_")) return `${name}${number}`;
  // the underscore keeps snake_case, which `buf lint` requires
  return `${name}_${number}`;
}
