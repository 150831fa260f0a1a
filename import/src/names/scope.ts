/** Names of one kind in one place, each given once. */
export class Scope {
  private readonly taken = new Set<string>();
  private readonly identity: (name: string) => string;
  private readonly held: ReadonlySet<string>;

  /**
   * @param identity what two names must not have in common
   * @param held names that only `take` gives, since they belong to others
   */
  constructor(identity: (name: string) => string = (name) => name, held: ReadonlySet<string> = new Set()) {
    this.identity = identity;
    this.held = held;
  }

  has(name: string): boolean {
    return this.taken.has(this.identity(name)) || this.held.has(name);
  }

  /** Whether a name was given already. */
  isTaken(name: string): boolean {
    return this.taken.has(this.identity(name));
  }

  take(name: string): string {
    this.taken.add(this.identity(name));
    return name;
  }

  /** The first of these names that is free, or the last one with a number. */
  give(...names: readonly string[]): string {
    const free = names.find((name) => !this.has(name));
    if (free !== undefined) return this.take(free);
    const base = names.at(-1) ?? "";
    let number = 2;
    while (this.has(numbered(base, number))) number += 1;
    return this.take(numbered(base, number));
  }
}

function numbered(name: string, number: number): string {
  if (/[A-Z]/.test(name) && !name.includes("_")) return `${name}${number}`;
  // `a_2` and not `a2`, which `buf lint` wants for neither more nor less
  return `${name}_${number}`;
}
