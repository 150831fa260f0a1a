/** JSON values with exact integers. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Value[]
  | { readonly [key: string]: Value };

export type ValueObject = { readonly [key: string]: Value };

export function isValueObject(value: Value | undefined): value is ValueObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON. Unsafe integers become bigints. */
export function parseExact(text: string): Value {
  return JSON.parse(text, (_, value: Value, context?: { readonly source?: string }) => {
    if (typeof value !== "number") return value;
    const { source = "" } = context ?? {};
    return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? BigInt(source) : value;
  }) as Value;
}

/** Prints JSON with all digits of integers. */
export function printExact(value: Value): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(printExact).join(",")}]`;
  if (!isValueObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${printExact(each)}`);
  return `{${entries.join(",")}}`;
}

/** The differences that the runtime reported about a value that it received. */
export class Tolerance {
  private readonly additional: ReadonlySet<string>;
  private readonly converted: readonly string[];

  /** @param reports the differences, as `class path: expected type, got value` */
  constructor(reports: readonly string[]) {
    const paths = reports.flatMap(
      (report) => /^additional (?<path>.*?): expected/.exec(report)?.groups?.path ?? [],
    );
    this.additional = new Set(paths.map((path) => path.replace(/^.*[.']/s, "")));
    this.converted = reports.filter((report) =>
      /^converted .*: expected an integer up to 2\^53/.test(report),
    );
  }

  /** Reports whether a key is reported as undeclared. */
  isUndeclared(key: string): boolean {
    return this.additional.has(key);
  }

  /** Reports whether an integer is reported as converted to a string, because a Value has only doubles. */
  isText(received: Value, printed: Value): boolean {
    return typeof received === "bigint" && printed === String(received) && this.converted.length > 0;
  }
}

/**
 * Returns the path of the first difference between a received value and the value that was printed back;
 * undefined if they are equal. A time may have another notation. `null` and an empty list or object may be
 * absent, since protobuf has no presence for them.
 */
export function differenceOf(
  received: Value,
  printed: Value | undefined,
  tolerance: Tolerance,
  path = "$",
): string | undefined {
  if (printed === undefined) {
    return isEmpty(received) ? undefined : `${path}: ${printExact(received)} is missing`;
  }
  if (Array.isArray(received) && Array.isArray(printed)) {
    if (received.length !== printed.length) {
      return `${path}: ${received.length} items became ${printed.length}`;
    }
    return firstOf(
      received.map((item, index) => differenceOf(item, printed[index], tolerance, `${path}[${index}]`)),
    );
  }
  if (isValueObject(received) && isValueObject(printed)) {
    const added = Object.keys(printed).find((key) => !Object.hasOwn(received, key));
    if (added !== undefined) return `${path}.${added}: ${printExact(printed[added] ?? null)} was added`;
    const keys = Object.keys(received).filter(
      (key) => Object.hasOwn(printed, key) || !tolerance.isUndeclared(key),
    );
    return firstOf(
      keys.map((key) => {
        const own = Object.hasOwn(printed, key) ? printed[key] : undefined;
        return differenceOf(received[key] ?? null, own, tolerance, `${path}.${key}`);
      }),
    );
  }
  const isSame =
    printExact(received) === printExact(printed) ||
    isSameTime(received, printed) ||
    tolerance.isText(received, printed);
  return isSame ? undefined : `${path}: ${printExact(received)} became ${printExact(printed)}`;
}

function isEmpty(value: Value): boolean {
  if (value === null) return true;
  return typeof value === "object" && Object.values(value).length === 0;
}

function isSameTime(a: Value, b: Value): boolean {
  if (typeof a !== "string" || typeof b !== "string") return false;
  return [a, b].every((text) => /^\d{4}-\d\d-\d\d[Tt]\d\d:/.test(text)) && Date.parse(a) === Date.parse(b);
}

function firstOf(found: readonly (string | undefined)[]): string | undefined {
  return found.find((each) => each !== undefined);
}
