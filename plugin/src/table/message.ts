/** Builds the tables of messages. */
import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { isChosen, type TypeModels, tupleFields, unwrappedOneof } from "../model/types.ts";
import { choiceEntry } from "./choice.ts";
import type { Entry, FieldEntry } from "./entry.ts";
import { fieldEntry, itemEntry } from "./field.ts";
import { keysOf } from "./keys.ts";

/** Returns the lines of the table of a message, in the order in which its fields are written. */
export function messageEntries(desc: DescMessage, types: TypeModels): Entry[] {
  const oneof = unwrappedOneof(desc, types);
  if (oneof !== undefined) return [valueEntry(oneof, types)];
  if (types.tuple(desc)) {
    const { items, rest } = tupleFields(desc, types);
    const tuple = items.map((field) => fieldEntry(field, [], types));
    return [{ tuple, rest: rest && itemEntry(rest, types) }];
  }
  const entries = desc.members.flatMap((member) =>
    member.kind === "oneof" ? oneofEntries(member, types) : ownEntry(member, types),
  );
  const collector = desc.fields.find((field) => types.field(field).unknown);
  if (collector === undefined) return entries;
  const { number: unknown, fieldKind } = collector;
  return [...entries, fieldKind === "map" ? { unknown } : { unknown, struct: true }];
}

function ownEntry(field: DescField, types: TypeModels): FieldEntry[] {
  const keys = keysOf(field, types);
  return keys.length === 0 ? [] : [fieldEntry(field, keys, types)];
}

function oneofEntries(oneof: DescOneof, types: TypeModels): Entry[] {
  if (isChosen(oneof, types)) return [choiceEntry(oneof, types)];
  const fields = oneof.fields.flatMap((field) => ownEntry(field, types));
  return fields.length < 2 ? fields : [{ oneOf: fields }];
}

/** Returns the entry of a oneof whose member replaces its message. */
function valueEntry(oneof: DescOneof, types: TypeModels): Entry {
  const { fallback } = types.oneof(oneof);
  const members = oneof.fields.filter((field) => field.name !== fallback);
  const last = oneof.fields.find((field) => field.name === fallback);
  const when = members.flatMap((field) =>
    types.field(field).conditions.map(({ type = "" }) => ({ type, as: fieldEntry(field, [], types) })),
  );
  return { value: oneof.name, when, otherwise: last && fieldEntry(last, [], types) };
}
