import { parse } from "qs";
import { type JsonObject, readJson } from "../json.ts";
import { reject } from "./response.ts";

/** The strings that clients in several languages send for boolean values. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["True", true],
  ["1", true],
  ["false", false],
  ["False", false],
  ["0", false],
]);

export type Entry = readonly [name: string, value: unknown];

/**
 * Percent-encodes as in RFC 5849 section 3.6: everything except `A-Z a-z 0-9 - . _ ~`, in upper-case
 * hexadecimal digits.
 */
export function percentEncode(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Decodes the pairs of a query string or form body in order, with duplicates. A name without `=` has an empty
 * value.
 */
export function decodePairs(encoded: string): [string, string][] {
  // URLSearchParams drops a leading "?", which belongs to a name here, and skips an empty pair
  return [...new URLSearchParams(`&${encoded}`)];
}

function scalar(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  return undefined;
}

/**
 * The parameters of a request, from a query, a form, multipart text parts or a JSON object. The methods
 * accept numbers and flags as JSON values or strings, and arrays in any form (`n[0]=a`, `n[]=a`, repeated,
 * single).
 */
export class Fields {
  readonly entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }

  static fromJson(value: JsonObject): Fields {
    return new Fields(Object.entries(value));
  }

  /** Returns these parameters, and the parameters in `other` that have other names. */
  over(other: Fields): Fields {
    const mine = new Set(this.entries.map(([name]) => baseName(name)));
    return new Fields([...this.entries, ...other.entries.filter(([name]) => !mine.has(baseName(name)))]);
  }

  /** Returns these parameters without the named one. */
  without(name: string): Fields {
    return new Fields(this.entries.filter(([key]) => key !== name));
  }

  has(name: string): boolean {
    return this.entries.some(
      ([key, value]) => baseName(key) === name && value !== null && value !== undefined,
    );
  }

  /** Returns the last value with exactly this name. */
  value(name: string): unknown {
    return this.entries.findLast(([key]) => key === name)?.[1];
  }

  text(name: string): string | undefined {
    return scalar(this.value(name));
  }

  /** Returns the string of a parameter. Throws 400 if it is missing or empty. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") throw reject(400, `Missing required parameter: ${name}`);
    return value;
  }

  /** Returns the value if it is one of `allowed`. Throws 400 otherwise. */
  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.text(name);
    if (value === undefined || value === "") return fallback;
    const found = allowed.find((item) => item === value);
    if (found === undefined) {
      throw reject(400, `Invalid ${name}: expected ${allowed.join(", ")}, got ${value}`);
    }
    return found;
  }

  /** Returns an integer of at least `min`, clamped to `clampTo`. Throws 400 for anything else. */
  integer(name: string, rule: { min?: number; clampTo?: number } = {}): number | undefined {
    const value = this.text(name);
    if (value === undefined || value === "") return undefined;
    const number = Number(value);
    if (!Number.isFinite(number) || !Number.isInteger(number)) {
      throw reject(400, `Invalid ${name}: not a number`);
    }
    if (number < (rule.min ?? 0)) throw reject(400, `Invalid ${name}: below ${rule.min ?? 0}`);
    return Math.min(number, rule.clampTo ?? Number.MAX_SAFE_INTEGER);
  }

  /** Returns the digits of a post ID, from a number or a decimal string. Throws 400 for anything else. */
  id(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || value === "") return undefined;
    if (!/^\d{1,20}$/.test(value)) throw reject(400, `Invalid ${name}: not a post id`);
    return value.replace(/^0+(?=\d)/, "");
  }

  /** Returns a boolean in one of the representations in `FLAGS`. Throws 400 for anything else. */
  flag(name: string, fallback = false): boolean {
    const value = this.text(name);
    if (value === undefined || value === "") return fallback;
    const flag = FLAGS.get(value);
    if (flag !== undefined) return flag;
    throw reject(400, `Invalid ${name}: expected true or false, got ${value}`);
  }

  /** Returns an array of strings from any form. Indexed items are sorted by their indexes. */
  list(name: string): string[] {
    const found: { at: number; value: string }[] = [];
    for (const [key, value] of this.entries) {
      if (baseName(key) !== name) continue;
      const index = /^[^[]*\[(\d+)\]$/.exec(key);
      for (const item of Array.isArray(value) ? value : [value]) {
        const one = scalar(item);
        if (one !== undefined) found.push({ at: index ? Number(index[1]) : found.length, value: one });
      }
    }
    return found.sort((a, b) => a.at - b.at).map((item) => item.value);
  }

  /**
   * Returns a nested value from a JSON value, from a string with JSON, or from brackets
   * (`content[0][type]=text`).
   */
  json(name: string): unknown {
    const direct = this.value(name);
    if (typeof direct === "string") {
      if (direct === "") return undefined;
      try {
        return readJson(direct);
      } catch {
        return direct;
      }
    }
    return direct ?? nested(this.entries, name);
  }
}

function baseName(key: string): string {
  const at = key.indexOf("[");
  return at > 0 && key !== "fields[blogs]" ? key.slice(0, at) : key;
}

/** Limits for bracketed parameters. Exceeding a limit causes a 400 with subcode 8001. */
const NESTED = { depth: 20, parameters: 20_000, items: 2000 } as const;

/**
 * Builds the value of `name` from bracketed entries: objects, and arrays whose items are sorted by their
 * indexes.
 */
function nested(entries: readonly Entry[], name: string): unknown {
  const found = entries.filter(([key]) => key.startsWith(`${name}[`));
  if (found.length === 0) return undefined;
  if (found.length > NESTED.parameters) throw reject(400, `Invalid ${name}: too many parameters`, 8001);
  const values = new Map<string, unknown>();
  for (const [key, value] of found) {
    const list = values.get(key);
    if (key.endsWith("[]") && Array.isArray(list)) {
      list.push(value);
    } else {
      values.set(key, key.endsWith("[]") ? [value] : value);
    }
  }
  const options = { depth: NESTED.depth, strictDepth: true, arrayLimit: NESTED.items };
  try {
    return parse(Object.fromEntries(values) as Record<string, string>, options)[name];
  } catch {
    throw reject(400, `Invalid ${name}: nested too deeply`, 8001);
  }
}
