import type { Lock } from "../lock/lock.ts";
import { Scope } from "../names/scope.ts";
import { snake, upperSnake, wordsOf } from "../names/words.ts";
import type { Schema } from "../normalize/schema.ts";
import { Enum, type Message, type Option } from "../proto/model.ts";
import { ANNOTATIONS } from "./annotations.ts";
import { descriptionOf } from "./comments.ts";
import type { Spot } from "./context.ts";
import type { TypeNames } from "./type-names.ts";
import { isLine } from "./wire-names.ts";

/** Reports whether the values of an enum can represent texts. */
export function isEnum(texts: readonly string[]): boolean {
  // a spelling that consists of digits would also match a number
  return texts.some((text) => text !== "") && texts.every((text) => isLine(text) && !/^-?\d+$/.test(text));
}

/** Plans enums. */
export class EnumPlanner {
  private readonly names: TypeNames;
  private readonly lock: Lock;
  private readonly known = new Map<string, Enum>();
  /**
   * The scopes of value names, by message: the values of an enum belong to the scope that contains the enum.
   */
  private readonly scopes = new Map<Message | undefined, Scope>();

  constructor(names: TypeNames, lock: Lock) {
    this.names = names;
    this.lock = lock;
  }

  /** The enums of the package. */
  readonly topLevel: Enum[] = [];

  enumOf(schema: Schema, values: readonly string[], spot: Spot): Enum {
    const key = this.names.identity(schema, spot);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { name, parent } = this.names.give({ ...schema, key }, spot);
    const enumeration = new Enum(name, parent);
    this.known.set(key, enumeration);
    (parent?.enums ?? this.topLevel).push(enumeration);
    enumeration.comment = descriptionOf(schema.notes);
    enumeration.deprecated = schema.name !== undefined && schema.notes.deprecated;
    this.addValues(enumeration, values);
    return enumeration;
  }

  private addValues(enumeration: Enum, values: readonly string[]): void {
    const prefix = prefixOf(enumeration.name);
    const scope = this.scopeOf(enumeration.parent);
    enumeration.values.push({
      name: unspecified(scope, prefix),
      number: 0,
      comment: "The value is not set or is unknown.",
      options: [],
    });
    for (const value of values) {
      const words = value === "" ? ["empty"] : wordsOf(value);
      const suffix = upperSnake(words.length === 0 ? [snake([], "other")] : words);
      const name = scope.give(`${prefix}_${suffix === "UNSPECIFIED" ? "UNSPECIFIED_VALUE" : suffix}`);
      const wire: Option = { name: "(connectrest.v1.enum_value).wire", value, file: ANNOTATIONS };
      const number = this.lock.numberOf(enumeration.path, value);
      enumeration.values.push({ name, number, comment: "", options: value === name ? [] : [wire] });
    }
    enumeration.reservedNumbers.push(...this.lock.retired(enumeration.path));
  }

  private scopeOf(parent: Message | undefined): Scope {
    const found = this.scopes.get(parent) ?? new Scope(withoutCase);
    this.scopes.set(parent, found);
    return found;
  }
}

/** Returns the name of the value 0, which always ends in `_UNSPECIFIED`. */
function unspecified(scope: Scope, prefix: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? `${prefix}_UNSPECIFIED` : `${prefix}_${count}_UNSPECIFIED`;
    if (!scope.isTaken(name)) return scope.take(name);
  }
}

/** Returns the identity of a value name: names must not differ only in case and underscores. */
function withoutCase(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/**
 * Returns the prefix of value names: `TAX_US1099K` for `TaxUs1099K`. Linters compute the same prefix, without
 * splitting letters from following digits.
 */
function prefixOf(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])/g, "_").toUpperCase();
}
