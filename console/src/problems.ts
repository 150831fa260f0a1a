import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { isRequired, itemRules, violatedRules } from "./constraints.ts";
import { controlOf, elementOf, fieldValue } from "./element.ts";
import { expectedFor } from "./expected.ts";
import { isObject, type Path } from "./json.ts";
import type { Schema } from "./schema.ts";

/** A problem of a request message, at a path of its ProtoJSON. */
export interface Problem {
  readonly path: Path;
  readonly text: string;
  /** Whether the request cannot be sent, because it has a value of a wrong type. */
  readonly isFatal: boolean;
}

/** Returns the problems of a message's ProtoJSON. */
export function problemsOf(schema: Schema, desc: DescMessage, json: JsonValue, at: Path = []): Problem[] {
  if (!isObject(json)) return [{ path: at, text: "expected an object", isFatal: true }];
  const known = new Set(desc.fields.flatMap(({ name, jsonName }) => [name, jsonName]));
  const unknown = Object.keys(json)
    .filter((key) => !known.has(key))
    .map((key) => ({ path: [...at, key], text: `${desc.name} has no field "${key}"`, isFatal: true }));
  const missing = desc.fields.filter(
    (field) => fieldValue(field, json) === undefined && needs(schema, field),
  );
  return [
    ...unknown,
    ...missing.map((field) => ({ path: [...at, field.jsonName], text: "required", isFatal: false })),
    ...desc.fields.flatMap((field) => {
      const value = fieldValue(field, json);
      return value === undefined ? [] : ofField(schema, field, value, [...at, field.jsonName]);
    }),
    ...severalCases(desc, json, at),
  ];
}

function needs(schema: Schema, field: DescField): boolean {
  return isRequired(schema.constraints(field));
}

function ofField(schema: Schema, field: DescField, value: JsonValue, path: Path): Problem[] {
  const rules = schema.constraints(field);
  const broken = violatedRules(rules, value).map((text) => ({ path, text, isFatal: false }));
  if (field.fieldKind === "list") {
    if (!Array.isArray(value)) return [{ path, text: "expected a list", isFatal: true }];
    const ofItem = (item: JsonValue, index: number) => [
      ...ofValue(schema, field, item, [...path, index]),
      ...violatedRules(itemRules(rules), item).map((text) => ({
        path: [...path, index],
        text,
        isFatal: false,
      })),
    ];
    return [...broken, ...value.flatMap(ofItem)];
  }
  if (field.fieldKind === "map") {
    if (!isObject(value)) return [{ path, text: "expected an object", isFatal: true }];
    const ofEntry = ([key, item]: [string, JsonValue]) => [
      ...ofKey(field.mapKey, key, [...path, key]),
      ...ofValue(schema, field, item, [...path, key]),
    ];
    return [...broken, ...Object.entries(value).flatMap(ofEntry)];
  }
  const own = ofValue(schema, field, value, path);
  return own.length > 0 ? own : broken;
}

function ofValue(schema: Schema, field: DescField, value: JsonValue, path: Path): Problem[] {
  const element = elementOf(field);
  const { message } = element;
  if (message !== undefined && controlOf(element) === "message") {
    return problemsOf(schema, message, value, path);
  }
  const expected = expectedFor(element, value);
  return expected === undefined ? [] : [{ path, text: `expected ${expected}`, isFatal: true }];
}

function ofKey(scalar: ScalarType, key: string, path: Path): Problem[] {
  const value = scalar === ScalarType.BOOL && /^(?:true|false)$/.test(key) ? key === "true" : key;
  const expected = expectedFor({ scalar }, value);
  return expected === undefined ? [] : [{ path, text: `expected a key that is ${expected}`, isFatal: true }];
}

function severalCases(desc: DescMessage, json: JsonObject, at: Path): Problem[] {
  return desc.oneofs.flatMap(({ fields }) => {
    const [, second] = fields.filter((field) => fieldValue(field, json) !== undefined);
    if (second === undefined) return [];
    const names = fields.map(({ jsonName }) => jsonName).join(", ");
    return [{ path: [...at, second.jsonName], text: `only one of ${names} may be set`, isFatal: true }];
  });
}
