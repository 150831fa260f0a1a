export type KeyUse = {
  readonly targets: number[];
  isOwn: boolean;
  isShared: boolean;
  isChoice: boolean;
};

/** The keys that are read in an object inside a message. */
interface MessagePath {
  /** The address reserved for the table of these keys. */
  readonly at: number;
  readonly keys: Map<string, KeyUse>;
}

/** A key of a message, or of an object inside it. */
export type Place = readonly [keys: Map<string, KeyUse>, key: string];

/** Collects the ranks and keys of a message. */
export class MessageWriter {
  /** The address of the field of each rank. */
  readonly ranks: number[] = [];
  readonly keys = new Map<string, KeyUse>();
  /** The keys that are read in nested objects, by path. */
  readonly paths = new Map<string, MessagePath>();
  readonly choices: Array<readonly number[]> = [];
  isShared = false;
  /** The number that identifies an envelope in reports; 0 for a message. */
  place = 0;
  /** The report numbers of objects inside paths that may have unread keys, by path. */
  readonly places = new Map<string, number>();
  /** The ranks of fields with only one key. */
  private readonly single = new Set<number>();
  private readonly slots = new Map<string, number>();

  rank(field: number): number {
    return this.ranks.push(field) - 1;
  }

  /** Adds a field that is read from the first of its keys that has a value. */
  field(field: number, places: readonly Place[]): number {
    const rank = this.rank(field);
    if (places.length === 1) this.single.add(rank);
    for (const [place, [keys, name]] of places.entries()) {
      const key = keyOf(keys, name);
      key.isOwn = true;
      key.targets.push(rank | (place << 16));
    }
    return rank;
  }

  /** Marks a key as known, although no field reads it. */
  known(key: string): void {
    keyOf(this.keys, key);
  }

  /** Returns the rank at which the scanner records the position of a value. */
  slot(keys: readonly string[], field: number): number {
    const name = JSON.stringify(keys);
    const places = keys.map((key): Place => [this.keys, key]);
    const rank = this.slots.get(name) ?? this.field(field, places);
    this.slots.set(name, rank);
    for (const key of keys) keyOf(this.keys, key).isChoice = true;
    return rank;
  }

  /** Marks the keys of a message that shares the object as known. */
  share(keys: ReadonlySet<string>): void {
    this.isShared = true;
    for (const name of keys) keyOf(this.keys, name).isShared = true;
  }

  /** Returns the fields that are read from exactly one key, which nothing else reads. */
  simple(): number[] {
    const only = [...this.keys.values()].filter(
      (key) => key.targets.length === 1 && !key.isShared && !key.isChoice,
    );
    const ranks = only.flatMap((key) => key.targets).map((target) => target & 0xffff);
    return ranks.filter((rank) => this.single.has(rank)).map((rank) => this.ranks[rank] ?? 0);
  }
}

function keyOf(keys: Map<string, KeyUse>, name: string): KeyUse {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = { targets: [], isOwn: false, isShared: false, isChoice: false };
  keys.set(name, key);
  return key;
}
