import type { ConnectError } from "@connectrpc/connect";
import { percentEncode, percentEncodeBytes } from "../text/percent-encode.ts";
import { invalidParameter, type ValueProblem } from "./invalid-value.ts";
import { scalarText } from "./scalar-text.ts";

/** A value of a query or form parameter. Bytes are percent-encoded without any other conversion. */
export type ParameterValue = string | number | bigint | boolean | Uint8Array;

/** The notation of a list: `tag=a&tag=b`, `tag[]=a&tag[]=b`, `tag[0]=a&tag[1]=b`, or `tag=a,b`. */
export type ListStyle = "repeat" | "brackets" | "indexed" | "comma";

/** Writes `application/x-www-form-urlencoded` parameters of a query or a form, in the order of the calls. */
export class Parameters {
  /** The encoded names and values, in order. */
  private readonly pairs: Array<readonly [name: string, value: string]> = [];
  private readonly place: string;

  /** @param place where the parameters are sent, for errors: `query` or `form` */
  constructor(place: string) {
    this.place = place;
  }

  /** The encoded parameters. Empty if there are none. */
  get text(): string {
    return this.pairs.map(([name, value]) => `${name}=${value}`).join("&");
  }

  /**
   * Adds a parameter, unless the value is undefined. Throws INVALID_ARGUMENT for a value that cannot be
   * encoded.
   */
  add(name: string, value: ParameterValue | undefined): void {
    if (value !== undefined) this.append(percentEncode(name), this.encode(name, value));
  }

  /** Adds a list, unless it is empty. With `comma`, rejects values that contain a comma. */
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
   * Adds the entries of a map as separate parameters, named by the keys. An entry replaces earlier parameters
   * with the same name. Rejects keys that begin with `oauth_`, since these parameters authenticate the
   * caller, and names in `paging`, which the runtime sets for each page. Skips names in `reserved`, with or
   * without trailing brackets: the names of API keys and constants. A page link that the caller sends back
   * may contain these names, and callers may not override constants.
   */
  map(
    field: string,
    entries: Readonly<Record<string, ParameterValue>>,
    reserved: readonly string[] = [],
    paging: readonly string[] = [],
  ): void {
    for (const [key, value] of Object.entries(entries)) {
      if (reserved.some((name) => key === name || key.startsWith(`${name}[`))) continue;
      if (paging.includes(key)) throw pagingKey(field, key, this.place, entries);
      if (key.toLowerCase().startsWith("oauth_")) {
        throw invalidParameter(`${field}.${key}`, this.place, CREDENTIAL, { value: entries, key });
      }
      const name = this.encode(`${field}.${key}`, key);
      const kept = this.pairs.filter(([other]) => other !== name);
      this.pairs.splice(0, this.pairs.length, ...kept);
      this.append(name, this.encode(`${field}.${key}`, value));
    }
  }

  private commaList(name: string, values: readonly ParameterValue[]): void {
    if (values.length === 0) return;
    checkCommas(name, this.place, values);
    this.append(percentEncode(name), values.map((value) => this.encode(name, value)).join(","));
  }

  private append(encodedName: string, encodedValue: string): void {
    this.pairs.push([encodedName, encodedValue]);
  }

  private encode(field: string, value: ParameterValue): string {
    if (value instanceof Uint8Array) return percentEncodeBytes(value);
    return percentEncode(wellFormed(field, this.place, value));
  }
}

const CREDENTIAL: ValueProblem = {
  problem: "is the name of a credential",
  remedy: "leave it to the credentials of the upstream",
};

const PAGING: ValueProblem = {
  problem: "is the parameter that selects the page, which the stream sets for each page",
  remedy: "leave it out, or set the field of the request that has this parameter",
};

/** Returns the error for a key of a map that is the parameter with which a stream requests its pages. */
export function pagingKey(field: string, key: string, place: string, entries: object): ConnectError {
  return invalidParameter(`${field}.${key}`, place, PAGING, { value: entries, key });
}

/**
 * Joins values into one string, separated by commas.
 *
 * @throws ConnectError INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID, if a value contains a comma
 */
export function commaText(field: string, place: string, values: readonly ParameterValue[]): string {
  checkCommas(field, place, values);
  return values.map((value) => wellFormed(field, place, value)).join(",");
}

/**
 * Joins a list into one string with commas, for a JSON body.
 *
 * @param isAlways whether an empty list is also written, as an empty string
 * @throws ConnectError INVALID_ARGUMENT in the same cases as `commaText`
 */
export function joinCommas(values: readonly ParameterValue[], field: string, isAlways?: boolean): string {
  const text = commaText(field, "body", values);
  if (text !== "" || values.length === 0 || !isAlways) return text;
  const problem = { problem: "has one empty value, which is written as an empty list", remedy: "send none" };
  throw invalidParameter(field, "body", problem, { value: values });
}

/** @throws ConnectError INVALID_ARGUMENT if a value contains a comma */
export function checkCommas(field: string, place: string, values: readonly ParameterValue[]): void {
  if (!values.some(hasComma)) return;
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

function hasComma(value: ParameterValue): boolean {
  return value instanceof Uint8Array ? value.includes(0x2c) : String(value).includes(",");
}

/**
 * Decodes bytes as a string.
 *
 * @throws ConnectError INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID, if they are not UTF-8
 */
export function utf8Text(field: string, place: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const problem = { problem: "is not UTF-8", remedy: "send bytes that are the UTF-8 of a text" };
    throw invalidParameter(field, place, problem, { value: bytes });
  }
}

/**
 * Returns the value as a string that can be encoded.
 *
 * @throws ConnectError INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID, for a lone surrogate, bytes that are
 *   not UTF-8, NaN and Infinity
 */
export function wellFormed(field: string, place: string, value: ParameterValue): string {
  if (value instanceof Uint8Array) return utf8Text(field, place, value);
  const text = scalarText(value);
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
