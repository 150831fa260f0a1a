/**
 * Builds the table entries of oneofs whose member is selected by the content of the object, not by the key
 * that is present.
 */
import type { DescField, DescOneof } from "@bufbuild/protobuf";
import { isFlattened, type TypeModels } from "../model/types.ts";
import { spellings } from "../model/wire-names.ts";
import type { ChoiceCase, Entry, FieldEntry } from "./entry.ts";
import { fieldEntry } from "./field.ts";
import { keysOf } from "./keys.ts";

/** Returns the entry of a oneof, with the conditions of its members. */
export function choiceEntry(oneof: DescOneof, types: TypeModels): Entry {
  const { discriminator, fallback } = types.oneof(oneof);
  const members = oneof.fields.filter((field) => field.name !== fallback);
  const last = oneof.fields.find((field) => field.name === fallback);
  return {
    choice: oneof.name,
    by: discriminator === "" ? undefined : spellings(discriminator),
    when: members.flatMap((field) => cases(field, memberEntry(field, oneof, types), types)),
    otherwise: last && memberEntry(last, oneof, types),
  };
}

function cases(field: DescField, as: FieldEntry | undefined, types: TypeModels): ChoiceCase[] {
  const { conditions } = types.field(field);
  if (conditions.length === 0) return [{ is: [field.name], as }];
  return conditions.map(({ key, values, present, type }) => ({
    ...(key !== "" && { key: spellings(key) }),
    ...(values !== undefined && { is: values }),
    ...(present !== undefined && { present }),
    ...(type !== undefined && { type }),
    as,
  }));
}

/** Returns a member with its keys, or without keys if it shares the keys of the object. */
function memberEntry(field: DescField, oneof: DescOneof, types: TypeModels): FieldEntry | undefined {
  const { layout, payload } = types.oneof(oneof);
  if (layout === "beside") return fieldEntry(field, spellings(payload), types);
  if (field.fieldKind === "message" && isFlattened(oneof, types)) return [field.number, field.message];
  const keys = keysOf(field, types);
  return keys.length === 0 ? undefined : fieldEntry(field, keys, types);
}
