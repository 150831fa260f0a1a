/** Beyond these a number is no value of any enum. */
const INT32_MIN = -0x8000_0000;
const DIGITS = /^-?\d+$/;
const INT32_MAX = 0x7fff_ffff;

/** A word of an enum. */
export interface EnumWord {
  readonly word: string;
  readonly number: number;
  /** Whether it is one as a string, and as a number of JSON. */
  readonly asString: boolean;
  readonly asNumber: boolean;
}

/** The spellings of an enum on the wire, both ways. Generated adapters hold one for every enum they use. */
export class EnumTable {
  /** Full name of the enum, for messages about differences. */
  readonly name: string;
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly spellings: ReadonlyMap<number, string>;
  private readonly takesNumbers: boolean;
  private readonly closed: boolean;

  /**
   * @param name full name of the enum
   * @param values for each value its number, the spelling that requests use, and further ones in responses
   * @param options `closed` for an enum that has no other values than these (proto2, `enum_type = CLOSED`)
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
    // where the upstream has numbers of its own, a number that is none of them says nothing about the enum's
    this.takesNumbers = [...numbers].every(([text, number]) => !DIGITS.test(text) || Number(text) === number);
  }

  /** The number of a spelling; undefined for an unknown one. */
  numberOf(wire: string): number | undefined {
    return this.numbers.get(wire);
  }

  /** All words that stand for a value: as strings, and as numbers where JSON has the same text for one. */
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

  /** Whether a number is a value that the enum names. */
  has(number: number): boolean {
    return this.spellings.has(number);
  }

  /**
   * Whether a number on the wire is that of a value, also of one that the enum does not name but can hold.
   */
  holds(number: number): boolean {
    if (!this.takesNumbers || !Number.isInteger(number)) return false;
    return this.has(number) || (!this.closed && number >= INT32_MIN && number <= INT32_MAX);
  }

  /** The spelling of a number in a request; a number without one is written as its digits. */
  wire(number: number): string {
    return this.spellings.get(number) ?? String(number);
  }

  /** The spelling as a JSON value: a number where the spelling is one. */
  json(number: number): string | number {
    const wire = this.wire(number);
    // another text of the same number, as `07`, stays text
    return DIGITS.test(wire) && String(Number(wire)) === wire ? Number(wire) : wire;
  }
}
