import { isObject, type Json, member } from "../json.ts";
import { ImportError } from "../problem.ts";

/** The version of the format of the file. */
const VERSION = 1;
/** The first of the field numbers that protobuf reserves. */
const KEPT_FROM = 19_000;
const KEPT_TO = 19_999;

/**
 * The names of messages, enums and methods, by their positions in the document, and the numbers of fields and
 * values, by their keys on the wire. An element keeps its name and number, and no other element gets them.
 */
export class Lock {
  private readonly names: Map<string, string>;
  private readonly numbers: Map<string, Map<string, number>>;
  /** The highest number that was assigned in each message or enum. */
  private readonly highest = new Map<string, number>();
  private readonly used = new Map<string, Set<string>>();

  private constructor(names: Map<string, string>, numbers: Map<string, Map<string, number>>) {
    this.names = names;
    this.numbers = numbers;
  }

  static empty(): Lock {
    return new Lock(new Map(), new Map());
  }

  /** @param file the name of the file, for messages */
  static parse(text: string, file: string): Lock {
    const value = parsed(text, file);
    if (member(value, "version") !== VERSION) {
      throw new ImportError(
        file,
        `expected a lock file of version ${VERSION}; restore it from version control`,
      );
    }
    const names = entries(value, "names").filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    const numbers = entries(value, "numbers").map(([path, each]) => {
      const known = entries({ each }, "each").filter((entry): entry is [string, number] =>
        Number.isInteger(entry[1]),
      );
      return [path, new Map(known)] as const;
    });
    return new Lock(new Map(names), new Map(numbers));
  }

  /** Returns the name that a position in the document had in earlier imports. */
  nameOf(source: string): string | undefined {
    return this.names.get(source);
  }

  keepName(source: string, name: string): void {
    this.names.set(source, name);
  }

  /** Returns all names that were assigned. */
  givenNames(): Iterable<string> {
    return this.names.values();
  }

  /** Returns the number of a field or value in the message or enum at `path`. */
  numberOf(path: string, key: string): number {
    const known = this.numbers.get(path) ?? new Map<string, number>();
    this.numbers.set(path, known);
    const used = this.used.get(path) ?? new Set();
    this.used.set(path, used.add(key));
    const found = known.get(key);
    if (found !== undefined) return found;
    const highest = this.highest.get(path) ?? known.values().reduce((a, b) => Math.max(a, b), 0);
    const next = highest + 1 >= KEPT_FROM && highest + 1 <= KEPT_TO ? KEPT_TO + 1 : highest + 1;
    known.set(key, next);
    this.highest.set(path, next);
    return next;
  }

  /** Returns the numbers of elements that the document no longer contains. */
  retired(path: string): number[] {
    const used = this.used.get(path);
    return [...(this.numbers.get(path) ?? [])]
      .filter(([key]) => used?.has(key) !== true)
      .map(([, number]) => number)
      .sort((a, b) => a - b);
  }

  print(): string {
    const numbers = sorted(this.numbers).map(([path, known]) => {
      return [path, Object.fromEntries([...known].sort(([, a], [, b]) => a - b))] as const;
    });
    const value = {
      version: VERSION,
      names: Object.fromEntries(sorted(this.names)),
      numbers: Object.fromEntries(numbers),
    };
    return `${JSON.stringify(value, null, 1)}\n`;
  }
}

function parsed(text: string, file: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ImportError(file, "is not JSON; restore it from version control");
  }
}

function entries(value: Json | undefined, key: string): [string, Json][] {
  const found = member(value, key);
  return isObject(found) ? Object.entries(found) : [];
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
