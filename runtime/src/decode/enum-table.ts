/** The spellings of an enum on the wire, both ways. Generated adapters hold one for every enum they use. */
export class EnumTable {
  /** Full name of the enum, for messages about drift. */
  readonly name: string;
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly spellings: ReadonlyMap<number, string>;

  /**
   * @param name full name of the enum
   * @param values for each value its number, the spelling that requests use, and further ones in responses
   */
  constructor(
    name: string,
    values: ReadonlyArray<readonly [number: number, wire: string, ...aliases: string[]]>,
  ) {
    this.name = name;
    const numbers = new Map<string, number>();
    const spellings = new Map<number, string>();
    for (const [number, wire, ...aliases] of values) {
      for (const spelling of [wire, ...aliases]) if (!numbers.has(spelling)) numbers.set(spelling, number);
      if (!spellings.has(number)) spellings.set(number, wire);
    }
    this.numbers = numbers;
    this.spellings = spellings;
  }

  /** The number of a spelling; undefined for an unknown one. */
  numberOf(wire: string): number | undefined {
    return this.numbers.get(wire);
  }

  /** Whether a number is a value of the enum. */
  has(number: number): boolean {
    return this.spellings.has(number);
  }

  /** The spelling of a number in a request; a number without one is written as its digits. */
  wire(number: number): string {
    return this.spellings.get(number) ?? String(number);
  }

  /** The spelling as a JSON value: a number where the spelling is one. */
  json(number: number): string | number {
    const wire = this.wire(number);
    return /^-?\d+$/.test(wire) ? Number(wire) : wire;
  }
}
