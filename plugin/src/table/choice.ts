/**
 * Builds the table entries of oneofs whose member is selected by the content of the object, not by the key
 * that is present.
 */
import type { DescField, DescOneof } from "@bufbuild/protobuf";
import type { ConditionModel } from "../model/rules.ts";
import { discriminatorValues, isFlattened, type TypeModels } from "../model/types.ts";
import { spellings } from "../model/wire-names.ts";
import type { ChoiceCase, Entry, FieldEntry } from "./entry.ts";
import { fieldEntry } from "./field.ts";
import { firstKey, firstKeyOf, keepsSpelling, keysOf, onlyKey } from "./keys.ts";

/** Reports whether the content of the object selects the member of a oneof. */
export function isChosen(oneof: DescOneof, types: TypeModels): boolean {
  return types.oneof(oneof).discriminator !== "" || hasConditions(oneof, types);
}

/** Reports whether a member has conditions in addition to a value of the discriminator. */
function hasConditions(oneof: DescOneof, types: TypeModels): boolean {
  const asksForMore = ({ key, present, type }: ConditionModel) =>
    key !== "" || present !== undefined || type !== undefined;
  return oneof.fields.some((field) => types.field(field).conditions.some(asksForMore));
}

/** Returns the entry of a oneof, with the conditions of its members. */
export function choiceEntry(oneof: DescOneof, types: TypeModels): Entry {
  const { discriminator, fallback } = types.oneof(oneof);
  const members = oneof.fields.filter((field) => field.name !== fallback);
  const last = oneof.fields.find((field) => field.name === fallback);
  const cases = hasConditions(oneof, types) ? conditionCases : valueCases;
  return {
    choice: oneof.name,
    by: discriminator === "" ? undefined : spellings(discriminator),
    when: members.flatMap((field) => cases(field, memberEntry(field, oneof, types), types)),
    otherwise: last && memberEntry(last, oneof, types),
    lost: lostKeys(oneof, last, types),
  };
}

function valueCases(field: DescField, as: FieldEntry | undefined, types: TypeModels): ChoiceCase[] {
  return [{ is: discriminatorValues(field, types), as }];
}

function conditionCases(field: DescField, as: FieldEntry | undefined, types: TypeModels): ChoiceCase[] {
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

/** Returns the spellings of the key that selects the member, if its value is lost when it selects none. */
function lostKeys(
  oneof: DescOneof,
  fallback: DescField | undefined,
  types: TypeModels,
): readonly string[] | undefined {
  const { discriminator } = types.oneof(oneof);
  const key = discriminator === "" ? onlyKey(oneof, types) : discriminator;
  if (key === undefined || keepsSpelling(oneof, discriminator, types)) return undefined;
  return fallback !== undefined && holdsKey(fallback, key, oneof, types) ? undefined : spellings(key);
}

/**
 * Reports whether a member reads a key, or, if the member shares the object, whether one of its fields reads
 * the key.
 */
function holdsKey(member: DescField, key: string, oneof: DescOneof, types: TypeModels): boolean {
  if (!isFlattened(oneof, types) || member.fieldKind !== "message") return readsKey(member, key, types);
  const { fields, typeName } = member.message;
  return typeName === "google.protobuf.Struct" || fields.some((field) => readsKey(field, key, types));
}

function readsKey(field: DescField, key: string, types: TypeModels): boolean {
  return keysOf(field, types).some((each) => firstKeyOf(each) === firstKey(key));
}

/** Returns a member with its keys, or without keys if it shares the keys of the object. */
function memberEntry(field: DescField, oneof: DescOneof, types: TypeModels): FieldEntry | undefined {
  const { layout, payload } = types.oneof(oneof);
  if (layout === "beside") return fieldEntry(field, spellings(payload), types);
  if (field.fieldKind === "message" && isFlattened(oneof, types)) return [field.number, field.message];
  const keys = keysOf(field, types);
  return keys.length === 0 ? undefined : fieldEntry(field, keys, types);
}
