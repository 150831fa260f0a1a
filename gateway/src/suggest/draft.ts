/** Writes declarations for inferred types, in the format of `buf format`. */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { type Context, type Inferred, infer, type Rules, type Type } from "./infer.ts";
import { fieldName, prefixOf, readsKey, typeName, unique, valueName } from "./names.ts";
import type { Shape } from "./shape.ts";

const ANNOTATIONS = "connectrest/v1/annotations.proto";
const INDENT = "  ";

/** The names of the members of a union, by JSON type. */
const MEMBERS = {
  string: "text",
  number: "number",
  boolean: "flag",
  object: "object",
  array: "list",
} as const;

/** The names and imports of a file, to which declarations are added. */
export interface FileDraft {
  readonly package: string;
  /** `proto2`, `proto3` or an edition. */
  readonly syntax: string;
  /** The names that a new type must not have. */
  readonly taken: Set<string>;
  /** The files that the new declarations need. */
  readonly imports: Set<string>;
}

/** The lines of new declarations in a message, not indented. */
export class MessageDraft {
  readonly fields: string[] = [];
  readonly types: (readonly string[])[] = [];
  private readonly file: FileDraft;
  private readonly context: Omit<Context, "key">;
  /** The names of new types, by their declarations without the name. */
  private readonly known = new Map<string, string>();

  constructor(file: FileDraft, context: Omit<Context, "key">) {
    this.file = file;
    this.context = context;
  }

  /**
   * Adds a field.
   *
   * @param isOptional whether the value may be absent, if the zero value does not mean so
   */
  field(
    { name, number, key, comment }: { name: string; number: number; key: string; comment: string },
    inferred: Inferred,
    isOptional: boolean,
    rules: Rules = {},
  ): void {
    const { type, rules: own } = this.typeOf(key, inferred);
    const hasLabel = /^(?:repeated |map<)/.test(type);
    const isScalar = inferred.type.kind === "scalar";
    const label = hasLabel ? "" : this.label(isScalar && isOptional);
    if (comment !== "") this.fields.push(`// ${comment}`);
    this.fields.push(...this.declaration(`${label}${type} ${name} = ${number}`, { ...rules, ...own }));
  }

  private label(isOptional: boolean): string {
    return this.file.syntax === "proto2" || (isOptional && this.file.syntax === "proto3") ? "optional " : "";
  }

  private declaration(text: string, rules: Rules): readonly string[] {
    if (Object.keys(rules).length > 0) this.file.imports.add(ANNOTATIONS);
    return `${text}${printRules(rules)};`.split("\n");
  }

  /** Returns the type of a field, and the rules that it needs. */
  private typeOf(key: string, { type, rules }: Inferred): { readonly type: string; readonly rules: Rules } {
    switch (type.kind) {
      case "list": {
        const item = this.elementOf(key, type.item);
        return { type: `repeated ${item.type}`, rules: { ...item.rules, ...rules } };
      }
      case "map": {
        // no rule describes the times in a map
        const isTime = "time" in type.value.rules;
        const value = isTime ? this.wrapped(key, type.value) : this.elementOf(key, type.value);
        return { type: `map<string, ${value.type}>`, rules: { ...value.rules, ...rules } };
      }
      default:
        return { type: this.nameOf(key, type), rules };
    }
  }

  /** Returns the type of an item or a map value: a message around a list or a map. */
  private elementOf(key: string, inferred: Inferred): { readonly type: string; readonly rules: Rules } {
    const { kind } = inferred.type;
    return kind === "list" || kind === "map" ? this.wrapped(key, inferred) : this.typeOf(key, inferred);
  }

  /** Returns a message whose only field has a type, and whose JSON is the value of this field. */
  private wrapped(key: string, inferred: Inferred): { readonly type: string; readonly rules: Rules } {
    const inner = this.inner();
    const isList = inferred.type.kind === "list";
    const name = isList ? "items" : "value";
    inner.field({ name, number: 1, key, comment: "" }, inferred, false);
    const suffix = isList ? "List" : "Value";
    return { type: this.declared(`${typeName(key)}${suffix}`, inner.body()), rules: { unwrap: "true" } };
  }

  private nameOf(key: string, type: Exclude<Type, { kind: "list" | "map" }>): string {
    switch (type.kind) {
      case "scalar":
        return type.name;
      case "wellKnown":
        this.file.imports.add(`google/protobuf/${type.name === "Timestamp" ? "timestamp" : "struct"}.proto`);
        return `google.protobuf.${type.name}`;
      case "existing":
        return this.reference(type.desc);
      case "enum":
        return this.enumOf(key, type.texts);
      case "message":
        return this.declared(typeName(key), this.messageOf(type.shape));
      case "union":
        return this.declared(typeName(key), this.unionOf(key, type.members));
    }
  }

  private reference({ typeName: name, file }: DescMessage | DescEnum): string {
    this.file.imports.add(`${file.name}.proto`);
    const own = `${this.file.package}.`;
    return name.startsWith(own) ? name.slice(own.length) : name;
  }

  private messageOf({ keys, objects }: Shape): readonly string[] {
    const inner = this.inner();
    const names = new Set<string>();
    for (const [index, [key, shape]] of [...keys].entries()) {
      const name = unique(fieldName(key), names, protoCamelCase);
      const isAlways = shape.count - shape.nulls === objects;
      const inferred = infer(shape, { ...this.context, key });
      const share = shape.count < objects ? [`In ${shape.count} of ${objects} objects.`] : [];
      const comment =
        [...share, ...(inferred.note ?? [])].length > 0
          ? [...share, inferred.note ?? ""].join(" ").trim()
          : "";
      const rules: Rules = isReadBy(name, key, keys.keys()) ? {} : { name: quote(key) };
      inner.field(
        { name, number: index + 1, key, comment },
        inferred,
        isOptional(inferred, shape, isAlways),
        rules,
      );
    }
    return inner.body();
  }

  private unionOf(key: string, members: Extract<Type, { kind: "union" }>["members"]): readonly string[] {
    const inner = this.inner();
    const fields = members.flatMap(([json, inferred], index) => {
      const { kind } = inferred.type;
      const isWrapped = kind === "list" || kind === "map";
      const { type } = isWrapped ? inner.wrapped(key, inferred) : inner.typeOf(key, inferred);
      const rules = { ...inferred.rules, when: { type: `"${json}"` }, ...(isWrapped && { unwrap: "true" }) };
      return inner.declaration(`${type} ${MEMBERS[json]} = ${index + 1}`, rules);
    });
    const oneof = [
      "oneof kind {",
      ...indented(["option (connectrest.v1.oneof).layout = UNWRAPPED;", ...fields]),
      "}",
    ];
    inner.fields.push(...oneof);
    return inner.body();
  }

  private enumOf(key: string, texts: readonly string[]): string {
    const name = unique(typeName(key), this.file.taken);
    const prefix = prefixOf(name);
    const taken = new Set([`${prefix}_UNSPECIFIED`]);
    const values = texts.map((text, index) => enumValue(prefix, text, index + 1, taken));
    this.file.imports.add(ANNOTATIONS);
    this.types.push([`enum ${name} {`, ...indented([`${prefix}_UNSPECIFIED = 0;`, ...values]), "}"]);
    return name;
  }

  private inner(): MessageDraft {
    return new MessageDraft(this.file, this.context);
  }

  /** Declares a message. A message with the same content is declared once. */
  private declared(wanted: string, body: readonly string[]): string {
    const text = body.join("\n");
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const name = unique(wanted, this.file.taken);
    this.known.set(text, name);
    this.types.push([`message ${name} {`, ...indented(body), "}"]);
    return name;
  }

  private body(): readonly string[] {
    return [...this.fields, ...this.types.flatMap((lines) => ["", ...lines])];
  }
}

/** Returns the declaration of an enum value with its spelling. */
export function enumValue(prefix: string, text: string, number: number, taken: Set<string>): string {
  const name = unique(valueName(prefix, text), taken);
  return `${name} = ${number} [(connectrest.v1.enum_value).wire = ${quote(text)}];`;
}

/** Reports whether the absence of a value differs from all values. */
export function isOptional({ type }: Inferred, { nulls, strings }: Shape, isAlways: boolean): boolean {
  if (isAlways && nulls === 0) return false;
  return type.kind === "scalar" && (type.name !== "string" || strings.empty > 0);
}

/** Reports whether a field without a rule reads a key, and no other key of the object. */
export function isReadBy(name: string, key: string, keys: Iterable<string>): boolean {
  return readsKey(name, key) && ![...keys].some((other) => other !== key && readsKey(name, other));
}

/** Returns lines with an indentation. Blank lines stay empty. */
export function indented(lines: readonly string[], indent: string = INDENT): string[] {
  return lines.map((line) => (line === "" ? "" : indent + line));
}

/** Returns a string literal of the proto language. */
export function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Prints the rules of a field as an option, in brackets. */
function printRules(rules: Rules): string {
  const entries = Object.entries(rules);
  const [first] = entries;
  if (first === undefined) return "";
  const [name, value] = first;
  if (entries.length > 1) return ` [(connectrest.v1.field) = ${printValue(rules)}]`;
  const inner = typeof value === "string" || name === "when" || name === "from" ? [] : Object.entries(value);
  const [only] = inner;
  if (inner.length === 1 && only !== undefined) {
    return ` [(connectrest.v1.field).${name}.${only[0]} = ${only[1]}]`;
  }
  return ` [(connectrest.v1.field).${name} = ${printValue(value)}]`;
}

function printValue(value: Rules[string] | Rules): string {
  if (typeof value === "string") return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, printValue(inner)] as const);
  const [only] = entries;
  const isShort = entries.length === 1 && only !== undefined && !/^\{/.test(only[1]);
  if (isShort) return `{${only[0]}: ${only[1]}}`;
  const lines = entries.flatMap(([name, inner]) => `${name}: ${inner}`.split("\n"));
  return `{\n${indented(lines).join("\n")}\n}`;
}
