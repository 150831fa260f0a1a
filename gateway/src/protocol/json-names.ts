import type { DescField, DescMessage } from "@bufbuild/protobuf";

const known = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** Returns the fields of a message by the names that they may have in JSON. */
export function fieldsByJsonName(desc: DescMessage): ReadonlyMap<string, DescField> {
  const fields =
    known.get(desc) ??
    new Map(desc.fields.flatMap((field) => [[field.name, field] as const, [field.jsonName, field] as const]));
  known.set(desc, fields);
  return fields;
}
