import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";

const known = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** Returns the fields of a message by the names that they may have in JSON. */
export function fieldsByJsonName(desc: DescMessage): ReadonlyMap<string, DescField> {
  const fields =
    known.get(desc) ??
    new Map(desc.fields.flatMap((field) => [[field.name, field] as const, [field.jsonName, field] as const]));
  known.set(desc, fields);
  return fields;
}

const knownValues = new WeakMap<DescEnum, ReadonlySet<string>>();

/** Returns the names that the values of an enum may have in JSON. */
export function valueNames(desc: DescEnum): ReadonlySet<string> {
  const names =
    knownValues.get(desc) ?? new Set(desc.values.flatMap(({ name, jsonName }) => [name, jsonName]));
  knownValues.set(desc, names);
  return names;
}
