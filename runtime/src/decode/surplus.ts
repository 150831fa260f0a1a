import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";

/** What the JSON of a message has beyond what its type can hold. */
export interface Surplus {
  /** Keys that no field names, as dotted paths, with their values. */
  readonly keys: ReadonlyArray<readonly [path: string, value: JsonValue | undefined]>;
  /** An enum field has a word that its enum does not have. */
  readonly hasUnknownWord: boolean;
}

/** Looks through ProtoJSON for what protobuf-es ignores. Well-known types, whose JSON has a form of its own, are passed over. */
export function findSurplus(desc: DescMessage, json: JsonObject): Surplus {
  const found = { keys: [] as Array<readonly [string, JsonValue | undefined]>, hasUnknownWord: false };
  visitMessage(desc, json, "", found);
  return found;
}

type Found = { readonly keys: Array<readonly [string, JsonValue | undefined]>; hasUnknownWord: boolean };

function visitMessage(desc: DescMessage, json: JsonObject, path: string, found: Found): void {
  if (hasCustomJsonRepresentation(desc)) return;
  const fields = new Map(
    desc.fields.flatMap((field) => [[field.name, field] as const, [field.jsonName, field] as const]),
  );
  for (const [key, value] of Object.entries(json)) {
    const field = fields.get(key);
    const below = path === "" ? key : `${path}.${key}`;
    if (field === undefined) {
      found.keys.push([below, value]);
    } else if (value !== undefined) {
      visitField(field, value, below, found);
    }
  }
}

function visitField(field: DescField, value: JsonValue, path: string, found: Found): void {
  if (field.fieldKind === "list" && Array.isArray(value)) {
    value.forEach((item, index) => {
      visitValue(field, item, `${path}[${index}]`, found);
    });
  } else if (field.fieldKind === "map" && isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) visitValue(field, item, `${path}.${key}`, found);
    }
  } else {
    visitValue(field, value, path, found);
  }
}

function visitValue(field: DescField, value: JsonValue, path: string, found: Found): void {
  if (field.message !== undefined && isJsonObject(value)) {
    visitMessage(field.message, value, path, found);
  } else if (field.enum !== undefined && typeof value === "string") {
    if (!field.enum.values.some(({ name }) => name === value)) found.hasUnknownWord = true;
  }
}
