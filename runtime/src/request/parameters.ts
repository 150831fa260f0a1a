import { percentEncode, percentEncodeBytes } from "../text/percent-encode.ts";
import { invalidParameter } from "./invalid-value.ts";

/** A value of a query or form parameter; bytes are percent-encoded as they are. */
export type ParameterValue = string | number | bigint | boolean | Uint8Array;

/**
 * How a list is written: `tag=a&tag=b`, `tag[]=a&tag[]=b`, `tag[0]=a&tag[1]=b`, or `tag=a,b`.
 */
export type ListStyle = "repeat" | "brackets" | "indexed" | "comma";

/** Writes `application/x-www-form-urlencoded` parameters, of a query or a form, in the order they come. */
export class Parameters {
  /** Names and values, both encoded, in their order. */
  private readonly pairs: Array<readonly [name: string, value: string]> = [];
  private readonly place: string;

  /** @param place where the parameters go, for errors: `query` or `form` */
  constructor(place: string) {
    this.place = place;
  }

  /** The parameters, encoded; empty when there are none. */
  get text(): string {
    return this.pairs.map(([name, value]) => `${name}=${value}`).join("&");
  }

  /** One parameter. undefined is skipped. Throws INVALID_ARGUMENT for what cannot be encoded. */
  add(name: string, value: ParameterValue | undefined): void {
    if (value !== undefined) this.append(percentEncode(name), this.encode(name, value));
  }

  /** A list; an empty one is skipped. With `comma`, a value that holds a comma is refused. */
  list(name: string, values: readonly ParameterValue[], style: ListStyle): void {
    if (style === "comma") {
      this.commaList(name, values);
      return;
    }
    const encodedName = percentEncode(name);
    values.forEach((value, index) => {
      const suffix = style === "repeat" ? "" : style === "brackets" ? "%5B%5D" : `%5B${index}%5D`;
      this.append(encodedName + suffix, this.encode(name, value));
    });
  }

  /**
   * The entries of a map as parameters of their own, named by the keys. An entry replaces the parameters that
   * have its name already. Names that prove who is calling do not go out: `oauth_…` are refused. Those in
   * `reserved`, of API keys, are left out, as links to pages that are sent back may have them.
   */
  map(
    field: string,
    entries: Readonly<Record<string, ParameterValue>>,
    reserved: readonly string[] = [],
  ): void {
    for (const [key, value] of Object.entries(entries)) {
      if (reserved.includes(key)) continue;
      if (key.toLowerCase().startsWith("oauth_")) {
        throw invalidParameter(
          `${field}.${key}`,
          this.place,
          {
            problem: "is the name of a credential",
            remedy: "leave it to the credentials of the upstream",
          },
          { value: entries, key },
        );
      }
      const name = this.encode(`${field} key`, key);
      const kept = this.pairs.filter(([other]) => other !== name);
      this.pairs.splice(0, this.pairs.length, ...kept);
      this.append(name, this.encode(`${field}.${key}`, value));
    }
  }

  private commaList(name: string, values: readonly ParameterValue[]): void {
    if (values.length === 0) return;
    const items = withoutCommas(name, this.place, values).map((value) => this.encode(name, value));
    this.append(percentEncode(name), items.join(","));
  }

  private append(encodedName: string, encodedValue: string): void {
    this.pairs.push([encodedName, encodedValue]);
  }

  private encode(field: string, value: ParameterValue): string {
    if (value instanceof Uint8Array) return percentEncodeBytes(value);
    return percentEncode(wellFormed(field, this.place, value));
  }
}

/**
 * Values that commas can separate.
 *
 * @throws ConnectError INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID, where one has a comma itself
 */
export function withoutCommas(
  field: string,
  place: string,
  values: readonly ParameterValue[],
): readonly ParameterValue[] {
  if (!values.some((value) => String(value).includes(","))) return values;
  throw invalidParameter(
    field,
    place,
    {
      problem: "a value contains a comma, which is the separator",
      remedy: "send values without commas",
    },
    { value: values },
  );
}

/**
 * The value as text that can be encoded.
 *
 * @throws ConnectError INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID, for a lone surrogate,
 * NaN and Infinity
 */
export function wellFormed(field: string, place: string, value: ParameterValue): string {
  const text = String(value);
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw invalidParameter(
      field,
      place,
      { problem: `is ${text}`, remedy: "send a finite number" },
      { value },
    );
  }
  if (text.isWellFormed()) return text;
  throw invalidParameter(
    field,
    place,
    {
      problem: "contains a lone surrogate",
      remedy: "send well-formed Unicode",
    },
    { value },
  );
}
