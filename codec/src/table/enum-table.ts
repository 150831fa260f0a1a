/** The range of enum numbers. */
const INT32_MIN = -0x8000_0000;
const DIGITS = /^-?\d+$/;
const INT32_MAX = 0x7fff_ffff;

/** An enum name on the wire. */
export interface EnumWord {
  readonly word: string;
  readonly number: number;
  /** Whether the name may be a JSON string, and whether it may be a JSON number. */
  readonly asString: boolean;
  readonly asNumber: boolean;
}

/**
 * The spellings of an enum on the wire, in both directions. Generated adapters contain one table for each
 * enum that they use.
 */
export class EnumTable {
  /** The full name of the enum, for reports. */
  readonly name: string;
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly spellings: ReadonlyMap<number, string>;
  private readonly takesNumbers: boolean;
  private readonly closed: boolean;

  /**
   * @param name the full name of the enum
   * @param values for each value its number, the spelling in requests, and further spellings in responses
   * @param options `closed` for an enum that has no other values (proto2, `enum_type = CLOSED`)
   */
  constructor(
    name: string,
    values: ReadonlyArray<readonly [number: number, wire: string, ...aliases: string[]]>,
    { closed = false }: { readonly closed?: boolean } = {},
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
    this.closed = closed;
    // if the upstream uses different numbers, an unknown number has no relation to the numbers of the enum
    this.takesNumbers = [...numbers].every(([text, number]) => !DIGITS.test(text) || Number(text) === number);
  }

  /** Returns the number of a spelling; undefined if the spelling is unknown. */
  numberOf(wire: string): number | undefined {
    return this.numbers.get(wire);
  }

  /** Returns the declared number that a string spells in digits; undefined for any other string. */
  numberIn(text: string): number | undefined {
    const number = Number(text);
    return String(number) === text && this.has(number) && this.holds(number) ? number : undefined;
  }

  /** Returns all spellings of values: as strings, and as numbers if the spelling is a JSON number. */
  words(): EnumWord[] {
    const words = [...this.numbers].map(([word, number]) => {
      const asNumber = Number.isSafeInteger(Number(word)) && String(Number(word)) === word;
      return { word, number, asString: true, asNumber };
    });
    const others = this.takesNumbers ? [...this.spellings.keys()] : [];
    const further = others.filter((number) => !this.numbers.has(String(number)));
    return [
      ...words,
      ...further.map((number) => ({ word: String(number), number, asString: false, asNumber: true })),
    ];
  }

  /** Reports whether the enum declares a number. */
  has(number: number): boolean {
    return this.spellings.has(number);
  }

  /**
   * Reports whether a number on the wire is a valid value, including undeclared values that the enum can
   * hold.
   */
  holds(number: number): boolean {
    if (!this.takesNumbers || !Number.isInteger(number)) return false;
    return this.has(number) || (!this.closed && number >= INT32_MIN && number <= INT32_MAX);
  }

  /** Returns the spelling of a number in a request, or its digits if the number is undeclared. */
  wire(number: number): string {
    return this.spellings.get(number) ?? String(number);
  }

  /** Returns the spelling as a JSON value: a number if the spelling is numeric. */
  json(number: number): string | number {
    const wire = this.wire(number);
    // other spellings of a number, such as `07`, stay strings
    return DIGITS.test(wire) && String(Number(wire)) === wire ? Number(wire) : wire;
  }
}
