/** Determines how fields are read. */
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { holdsNull, isCollection, isWrapper } from "../descriptors/well-known.ts";
import { siblingSubject } from "../model/masks.ts";
import { type TimeModel, type TypeModels, unwrappedOneof } from "../model/types.ts";
import { responseNames } from "../model/wire-names.ts";
import type { FieldEntry, Key, Kind } from "./entry.ts";
import { SCALAR_KINDS, scalarKind } from "./scalar-kind.ts";

/** Returns a field with the keys that it is read from. */
export function fieldEntry(field: DescField, keys: readonly Key[], types: TypeModels): FieldEntry {
  return [field.number, fieldKind(field, types), ...keys];
}

/** Returns a repeated field with the kind of one item. */
export function itemEntry(field: DescField, types: TypeModels): FieldEntry {
  const { number, fieldKind } = field;
  if (fieldKind !== "list") throw new Error(`${field} is not repeated`);
  const kind = itemKind(field, types);
  return [number, types.field(field).coerce ? { loose: kind } : kind];
}

/** Returns how the values of a field are read, according to all of its rules. */
export function fieldKind(field: DescField, types: TypeModels): Kind {
  const { coerce, absent, jsonText } = types.field(field);
  const own = jsonText ? { jsonText: strictKind(field, types) } : strictKind(field, types);
  const kind = coerce ? { loose: own } : own;
  return absent.length > 0 ? { absent, of: kind } : kind;
}

/** Returns how the values of a field are read, regardless of its rules for coercion and absent values. */
function strictKind(field: DescField, types: TypeModels): Kind {
  switch (field.fieldKind) {
    case "scalar":
      return scalarKind(field, field.scalar, types);
    case "enum":
      if (holdsNull(field)) return { nullable: field.enum };
      return isOpen(field, types) ? { open: field.enum } : field.enum;
    case "message":
      return messageKind(field, field.message, types);
    case "list": {
      const item = itemKind(field, types);
      const list = field.listKind === "enum" && isOpen(field, types) ? { open: field.enum } : item;
      return { list, ...(types.field(field).style === "comma" && { commas: true }) };
    }
    case "map": {
      const isText = field.mapKey === ScalarType.STRING;
      return { map: itemKind(field, types), ...(!isText && { keys: SCALAR_KINDS[field.mapKey] }) };
    }
  }
}

function itemKind(field: DescField & { readonly fieldKind: "list" | "map" }, types: TypeModels): Kind {
  if (field.scalar !== undefined) return scalarKind(field, field.scalar, types);
  return field.enum ?? messageKind(field, field.message, types);
}

/**
 * Reports whether another field keeps the values that are unknown to the enum: it reads the same key and is
 * not an enum.
 */
function isOpen(field: DescField, types: TypeModels): boolean {
  const [key] = responseNames(field, types);
  return field.parent.fields.some(
    (other) =>
      other !== field &&
      (other.fieldKind === "scalar" || (other.fieldKind === "list" && other.listKind === "scalar")) &&
      responseNames(other, types)[0] === key,
  );
}

function messageKind(field: DescField, message: DescMessage, types: TypeModels): Kind {
  const { time, unwrap } = types.field(field);
  switch (message.typeName) {
    case "google.protobuf.Timestamp":
      return timeKind(time);
    case "google.protobuf.Duration":
      return time === undefined ? "duration" : { duration: time.notation };
    case "google.protobuf.FieldMask": {
      const subject = siblingSubject(field, types);
      return subject === undefined ? "fieldMask" : { fieldMask: subject.message };
    }
  }
  const [only] = message.fields;
  if (isWrapper(message) && only?.fieldKind === "scalar") {
    return { wrapper: scalarKind(field, only.scalar, types) };
  }
  if (unwrap && only !== undefined) {
    return { unwrap: fieldEntry(only, [], types), ...(isCollection(only) ? {} : { orNull: true }) };
  }
  const isGroup = "delimitedEncoding" in field && field.delimitedEncoding;
  return isGroup && unwrappedOneof(message, types) === undefined ? { group: message } : message;
}

function timeKind(time: TimeModel | undefined): Kind {
  const { notation = "iso8601", format = "", none = "" } = time ?? {};
  const rule = notation === "pattern" ? { pattern: format } : notation;
  return { time: rule, ...(none !== "" && { none }) };
}
