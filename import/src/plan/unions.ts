import { wordsOf } from "../names/words.ts";
import type { Schema, SchemaNode } from "../normalize/schema.ts";
import { type Message, type Oneof, type OptionValue, Token } from "../proto/model.ts";
import {
  type Alternative,
  anyOf,
  type Choice,
  choicesOf,
  groupsOf,
  type Kind,
  kindOf,
  mergedLists,
  mergedObjects,
} from "./alternatives.ts";
import { ANNOTATIONS } from "./annotations.ts";
import { booleanChecks, numberChecks, stringChecks, textChecks } from "./checks.ts";
import { type Planning, plainType, type Spot, STRUCT, scalar, type Typed, VALUE } from "./context.ts";
import { type EnumPlanner, isEnum } from "./enums.ts";
import { singular } from "./wrappers.ts";

const PLAIN = { required: false, nullable: false, deprecated: false } as const;

/** The names of the members of a oneof, by JSON type. */
const MEMBERS: Readonly<Record<Kind, string>> = {
  string: "text",
  number: "number",
  boolean: "flag",
  object: "object",
  array: "list",
  any: "value",
};

/** Returns the type of a union in a list item, a map value, a body, or a field of a response. */
export function unionType(planning: Planning, enums: EnumPlanner, schema: Schema, spot: Spot): Typed {
  const groups = kindsOf(planning, schema, spot);
  if (groups.size === 0 || groups.has("any")) return plainType(VALUE);
  const [kind, ...others] = groups.keys();
  if (others.length > 0) {
    return plainType({ kind: "message", message: planning.messageOf(schema, spot) });
  }
  const parts = groups.get(kind ?? "any") ?? [];
  switch (kind) {
    case "string":
      return sameFormat(planning, parts, spot) ?? textType(planning, enums, schema, parts, spot);
    case "number":
      return numberType(planning, schema, parts, spot);
    case "boolean":
      return booleanType(parts);
    case "array":
      return planning.typeOf(mergedLists(planning.schemas, schema, parts), spot);
    default:
      return objectUnion(planning, schema, parts, spot);
  }
}

/** Reports constraints of alternatives that the constraints of their common type do not contain. */
function reportLimits(planning: Planning, schema: Schema, parts: readonly Alternative[], spot: Spot): void {
  const isLimited = parts.some(
    ({ schema: part }) => stringChecks(part) ?? numberChecks("double", part.limits),
  );
  if (spot.request && isLimited) planning.report.add("alternative-limits", schema.place, spot.element);
}

function numberType(planning: Planning, schema: Schema, parts: readonly Alternative[], spot: Spot): Typed {
  reportLimits(planning, schema, parts, spot);
  const integers = parts.filter((part) => isInteger(part.schema));
  if (integers.length > 0 && integers.length < parts.length) {
    planning.report.add("large-integers", schema.place, spot.element);
  }
  return plainType(scalar(integers.length === parts.length ? "int64" : "double"));
}

function booleanType(parts: readonly Alternative[]): Typed {
  const [only, ...others] = new Set(
    parts.map(({ schema: { shape } }) => (shape.kind === "boolean" ? shape.only : undefined)),
  );
  return { ...plainType(scalar("bool")), checks: booleanChecks(others.length === 0 ? only : undefined) };
}

function isInteger({ shape }: Schema): boolean {
  return shape.kind === "integer" || shape.kind === "enum";
}

const SCALARS: readonly Kind[] = ["string", "number", "boolean"];

/**
 * Returns the alternatives by JSON type. If values are written as strings, numbers and booleans count as
 * strings.
 */
function kindsOf(planning: Planning, schema: Schema, spot: Spot): ReadonlyMap<Kind, readonly Alternative[]> {
  const groups = groupsOf(planning.schemas, schema);
  const scalars = SCALARS.flatMap((kind) => groups.get(kind) ?? []);
  const isOne = SCALARS.filter((kind) => groups.has(kind)).length < 2;
  if (spot.textual !== true || isOne) return groups;
  const others = [...groups].filter(([kind]) => !SCALARS.includes(kind));
  return new Map([["string", scalars], ...others]);
}

/** The formats of strings that do not become strings. */
const TYPED_FORMATS: ReadonlySet<string | undefined> = new Set(["date-time", "byte", "base64url"]);

/** Returns the type of strings that all have the same format; undefined if it is a plain string. */
function sameFormat(planning: Planning, parts: readonly Alternative[], spot: Spot): Typed | undefined {
  const [first] = parts;
  const format = first?.schema.format;
  if (first === undefined || !TYPED_FORMATS.has(format)) return undefined;
  const isSame = parts.every(({ schema }) => schema.shape.kind === "string" && schema.format === format);
  return isSame ? planning.typeOf(first.node, spot) : undefined;
}

/**
 * Returns the type of the string alternatives: an enum of all values, unless an alternative may be any
 * string.
 */
function textType(
  planning: Planning,
  enums: EnumPlanner,
  schema: Schema,
  parts: readonly Alternative[],
  spot: Spot,
): Typed {
  const values = parts.flatMap((part) => (part.schema.shape.kind === "enum" ? part.schema.shape.values : []));
  const texts = [...new Set(values)].filter((value) => typeof value === "string");
  const isClosed =
    parts.every((part) => part.schema.shape.kind === "enum") &&
    values.every((value) => typeof value === "string");
  if (!isClosed || !isEnum(texts)) {
    reportLimits(planning, schema, parts, spot);
    return {
      ...plainType(scalar("string")),
      checks: textChecks(parts.map(({ schema: { shape } }) => shape)),
    };
  }
  return plainType({ kind: "enum", enumeration: enums.enumOf(schema, texts, spot) });
}

/** Reports whether objects have no declared keys, so that every message can hold them. */
function isEmpty(shape: Schema["shape"]): boolean {
  if (shape.kind !== "object" || shape.properties.size > 0) return false;
  return shape.additional === false || (shape.additional === undefined && shape.listed);
}

function isMap(shape: Schema["shape"]): boolean {
  return shape.kind === "object" && shape.properties.size === 0 && typeof shape.additional === "object";
}

function objectUnion(planning: Planning, schema: Schema, parts: readonly Alternative[], spot: Spot): Typed {
  const { schemas } = planning;
  if (choicesOf(schemas, schema, planning.isInRequest(schema, spot)) !== undefined) {
    return plainType({ kind: "message", message: planning.messageOf(schema, spot) });
  }
  const open = parts.filter(({ schema: { shape } }) => !isEmpty(shape));
  const shapes = open.map((part) => part.schema.shape);
  if (shapes.some((shape) => shape.kind !== "object")) return plainType(VALUE, "union-indistinct");
  if (shapes.every(isMap)) return planning.typeOf(mergedObjects(schemas, schema, parts), spot);
  const isFree = shapes.some((shape) => shape.kind === "object" && shape.properties.size === 0);
  if (isFree) {
    const says = shapes.some((shape) => shape.kind === "object" && shape.properties.size > 0);
    return plainType(STRUCT, says ? "union-indistinct" : undefined);
  }
  planning.report.add("merged-alternatives", schema.place, spot.element);
  return planning.typeOf(mergedObjects(schemas, schema, parts), spot);
}

/**
 * Adds the fields of a union to its message: a oneof whose members are selected by a discriminator, by keys
 * or by JSON types.
 */
export function fillUnion(planning: Planning, message: Message, schema: Schema, spot: Spot): void {
  const groups = kindsOf(planning, schema, spot);
  if (groups.size > 1) {
    fillByType(planning, message, schema, groups, spot);
    return;
  }
  const found = choicesOf(planning.schemas, schema, spot.request);
  if (found === undefined) return;
  const { discriminator, choices } = found;
  const rules =
    discriminator === undefined
      ? { layout: new Token("FLATTENED") }
      : { discriminator, layout: new Token("FLATTENED") };
  const oneof = oneofOf(planning.oneofName(message, ["value"]), rules);
  for (const [index, choice] of choices.entries()) {
    const words = choiceWords(choice, index);
    const alternative = { ...spot, words: [...spot.words, ...words] };
    planning.addField(message, {
      ...PLAIN,
      key: choice.schema.name ?? String(choice.values[0] ?? choice.key),
      wire: undefined,
      words,
      typed: plainType({ kind: "message", message: planning.messageOf(choice.schema, alternative) }),
      comment: "",
      place: choice.schema.place,
      rules: { when: whenOf(choice) },
      oneof,
    });
  }
}

function oneofOf(name: string, rules: Readonly<Record<string, OptionValue>> | undefined): Oneof {
  const options =
    rules === undefined ? [] : [{ name: "(connectrest.v1.oneof)", value: rules, file: ANNOTATIONS }];
  return { name, comment: "", options };
}

function choiceWords({ schema, values, key }: Choice, index: number): readonly string[] {
  const candidates = [schema.name, String(values[0] ?? ""), schema.notes.title, key];
  const words = candidates.map((text) => wordsOf(text ?? "")).find((each) => each.length > 0);
  return words ?? ["alternative", String(index + 1)];
}

function whenOf({ values, key }: Choice): OptionValue {
  if (key !== undefined) return { key: pathOf(key), present: true };
  const texts = values.map(String);
  const only = texts.length === 1 ? texts[0] : undefined;
  const type = typeof values[0];
  return { values: only ?? texts, ...(type === "string" ? {} : { type }) };
}

/** Returns a key as a path. A key with dots is quoted. */
function pathOf(key: string): string {
  return /^[\w$@-]+$/.test(key) && !/^\d+$/.test(key) ? key : `'${key}'`;
}

function fillByType(
  planning: Planning,
  message: Message,
  schema: Schema,
  groups: ReadonlyMap<Kind, readonly Alternative[]>,
  spot: Spot,
): void {
  const oneof = oneofOf(planning.oneofName(message, ["kind"]), { layout: new Token("UNWRAPPED") });
  for (const [kind, parts] of groups) {
    planning.addField(message, {
      ...PLAIN,
      key: kind,
      wire: undefined,
      words: [MEMBERS[kind]],
      typed: memberType(planning, schema, kind, parts, spot),
      comment: "",
      place: schema.place,
      rules: { when: { type: kind } },
      oneof,
    });
  }
}

/**
 * Makes a message represent a value. The JSON type of the value selects the member of the message's only
 * oneof.
 */
export function fillWhole(planning: Planning, message: Message, node: SchemaNode, spot: Spot): void {
  const schema = planning.schemas.read(node);
  const groups = kindsOf(planning, schema, spot);
  if (groups.size > 1) {
    fillByType(planning, message, schema, groups, spot);
    return;
  }
  const words = wordsOf(schema.name ?? "item");
  planning.addField(message, {
    ...PLAIN,
    key: "item",
    wire: undefined,
    words,
    typed: singular(planning, planning.typeOf(node, { ...spot, words }), `${message.path}!item`, {
      ...spot,
      words,
    }),
    comment: "",
    place: schema.place,
    rules: { when: { type: kindOf(planning.schemas, schema) } },
    oneof: oneofOf(planning.oneofName(message, ["value"]), { layout: new Token("UNWRAPPED") }),
  });
}

/** Returns the type of a member of a oneof. */
function memberType(
  planning: Planning,
  schema: Schema,
  kind: Kind,
  parts: readonly Alternative[],
  spot: Spot,
): Typed {
  const words = [...spot.words, MEMBERS[kind]];
  const node = anyOf(
    planning.schemas,
    parts.map((part) => part.node),
  );
  const typed = node === undefined ? plainType(VALUE) : planning.typeOf(node, { ...spot, words });
  // the member for the JSON type string holds any string
  if (typed.type.kind === "foreign" && kind === "string") return plainType(scalar("string"));
  return singular(planning, typed, `${schema.key}!${kind}`, { ...spot, words });
}
