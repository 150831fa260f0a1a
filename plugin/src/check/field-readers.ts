/** Finds fields that read one place of a response in ways that contradict each other. */
import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { isScalarMessage, isString, valueMessageOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema, OneofRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { readPaths, resolveKeys } from "../model/declared-keys.ts";
import { isIndex, type PathStep, stepsOf } from "../model/dotted-path.ts";
import { containerType, type TypeModels, unwrappedOneof } from "../model/types.ts";

const { field: FIELD } = FieldRulesSchema;

/** The JSON types that a field can read; undefined if the field reads any type. */
type Shape = "a scalar" | "an array" | "an object" | undefined;

/** Reports fields of a response that read the same key, or a key inside another field's value. */
export function checkFieldReaders(message: DescMessage, types: TypeModels, problems: Problems): void {
  if (types.tuple(message) || unwrappedOneof(message, types) !== undefined) return;
  const fields = message.fields.filter((field) => readsOnePlace(field, types));
  fields.forEach((field, index) => {
    for (const earlier of fields.slice(0, index)) checkSame(earlier, field, types, problems);
    checkInside(field, types, problems);
  });
  for (const oneof of message.oneofs) checkChoice(oneof, types, problems);
}

/**
 * Reports whether a field has one place in every response. Sources and aliases are alternatives, and members
 * of oneofs depend on the response.
 */
function readsOnePlace(field: DescField, types: TypeModels): boolean {
  const { sources, aliases, unknown } = types.field(field);
  return field.oneof === undefined && !unknown && aliases.length === 0 && sources.length <= 1;
}

function checkSame(one: DescField, other: DescField, types: TypeModels, problems: Problems): void {
  const places = readPaths(one, types).map((path) => JSON.stringify(path));
  const path = readPaths(other, types).find((each) => places.includes(JSON.stringify(each)));
  if (path === undefined) return;
  const [shape, otherShape] = [shapeOf(one, types), shapeOf(other, types)];
  const isPossible = shape === undefined || otherShape === undefined || shape === otherShape;
  if (isPossible && isMeant(one, other, types)) return;
  const what = `${nameOf(one)} and ${nameOf(other)} both read \`${path.join(".")}\``;
  const text = isPossible
    ? `${what}; give one of them another name, or write \`from: {path: "${path.join(".")}"}\` if both read it on purpose`
    : `${what}, the first as ${shape} and the second as ${otherShape}, so that one is always lost; correct a name or a path, or declare a oneof with layout: UNWRAPPED`;
  problems.add(other, [RULES, placeOf(other, types)], "read-twice", text);
}

/**
 * Reports whether two fields read the same key on purpose: rules of both name the key, or one of them has
 * `from`, or a string keeps the spelling of an enum.
 */
function isMeant(one: DescField, other: DescField, types: TypeModels): boolean {
  const both = [one, other];
  if (both.some((field) => hasSource(field, types))) return true;
  if (both.some(isString) && both.some(({ fieldKind }) => fieldKind === "enum")) return true;
  return both.every((field) => types.field(field).name !== "");
}

function hasSource(field: DescField, types: TypeModels): boolean {
  return types.field(field).sources.length > 0;
}

function placeOf(field: DescField, types: TypeModels): number {
  return hasSource(field, types) ? FIELD.from.number : FIELD.name.number;
}

/** Reports a path that leads through a value that another field reads as something without keys. */
function checkInside(field: DescField, types: TypeModels, problems: Problems): void {
  const [source] = types.field(field).sources;
  if (source?.kind !== "path") return;
  const steps = stepsOf(source.path);
  steps.slice(1).forEach((next, index) => {
    const prefix = steps.slice(0, index + 1).map(written);
    const found = resolveKeys(field.parent, prefix.join("."), types);
    for (const outer of found.undeclared === undefined ? found.fields : []) {
      const shape = shapeOf(outer, types);
      if (!readsOnePlace(outer, types) || !isClosed(shape, next)) continue;
      const text = `${nameOf(field)} reads \`${source.path}\`, but ${nameOf(outer)} reads \`${prefix.join(".")}\` as ${shape}, so that one of them is always lost; correct one of the paths, or the type of \`${outer.name}\``;
      problems.add(field, [RULES, FIELD.from.number], "read-twice", text);
    }
  });
}

function written({ name, quoted }: PathStep): string {
  return quoted ? `'${name}'` : name;
}

/** Reports whether a step leads nowhere in a value with this shape. */
function isClosed(shape: Shape, next: PathStep): boolean {
  return shape === "a scalar" || (shape === "an array" && !isIndex(next));
}

/** Reports fields that read the payload of a oneof, or read its discriminator as an object or an array. */
function checkChoice(oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const { parent } = oneof;
  const { discriminator, payload } = types.oneof(oneof);
  const report = (number: number, text: string) =>
    problems.add(oneof, [RULES, number], "read-twice", `the oneof ${nameOf(oneof)}: ${text}`);
  const { discriminator: ofDiscriminator, payload: ofPayload } = OneofRulesSchema.field;
  for (const field of parent.fields.filter((other) => other.oneof !== oneof)) {
    const keys = readPaths(field, types).flatMap(([key = "", ...below]) => (below.length === 0 ? [key] : []));
    if (payload !== "" && keys.includes(payload) && !hasSource(field, types)) {
      const text = `${nameOf(field)} also reads the payload \`${payload}\`; set another payload or another name, or write \`from: {path: "${payload}"}\` if the field reads the payload on purpose`;
      report(ofPayload.number, text);
    }
    const shape = shapeOf(field, types);
    if (keys.includes(discriminator) && (shape === "an array" || shape === "an object")) {
      const text = `${nameOf(field)} reads the discriminator \`${discriminator}\` as ${shape}; a discriminator is a string, a number or a boolean; correct one of the names`;
      report(ofDiscriminator.number, text);
    }
  }
  for (const other of parent.oneofs) {
    const { discriminator: key, payload: otherPayload } = types.oneof(other);
    if (other === oneof || payload === "" || (payload !== key && payload !== otherPayload)) continue;
    report(
      ofPayload.number,
      `the oneof \`${other.name}\` also reads the payload \`${payload}\`; set another`,
    );
  }
}

function shapeOf(field: DescField, types: TypeModels): Shape {
  const { style, absent, jsonText, unwrap } = types.field(field);
  if (absent.length > 0 || style === "comma") return undefined;
  if (jsonText) return "a scalar";
  if (field.fieldKind === "list") return "an array";
  if (field.fieldKind === "map") return "an object";
  const message = valueMessageOf(field);
  if (message === undefined) return "a scalar";
  if (isScalarMessage(message) && !unwrap) return "a scalar";
  const type = containerType(field, message, types);
  return type && (type === "array" ? "an array" : "an object");
}
