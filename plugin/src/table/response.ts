/** Determines how the response messages of methods are read. */
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { MethodModel } from "../model/model.ts";
import type { SourceModel, TypeModels } from "../model/types.ts";
import type { FieldEntry, HeadEntry, HeadSource } from "./entry.ts";
import { fieldEntry, fieldKind } from "./field.ts";
import { comesFromPaths } from "./keys.ts";

/**
 * Returns the type of a payload: a message, or one of its fields; undefined if the payload contains no part
 * of the message.
 */
export function responseBody(
  { desc: { output }, responseBody: field }: MethodModel,
  types: TypeModels,
): DescMessage | FieldEntry | undefined {
  if (field !== undefined) return fieldEntry(field, [], types);
  const isInBody = (each: DescField) => types.field(each).sources.length === 0 || comesFromPaths(each, types);
  return output.fields.some(isInBody) ? output : undefined;
}

/**
 * Returns the fields of a response message that come from the head. If the payload is a single field, also
 * returns the fields that are read from paths.
 */
export function responseHead({ desc, responseBody: body }: MethodModel, types: TypeModels): HeadEntry[] {
  return desc.output.fields
    .filter((field) => types.field(field).sources.length > 0)
    .filter((field) => body !== undefined || !comesFromPaths(field, types))
    .map((field) => {
      const sources = types.field(field).sources.map((source) => headSource(source, field));
      return [field.number, fieldKind(field, types), ...sources];
    });
}

function headSource(source: SourceModel, field: DescField): HeadSource {
  switch (source.kind) {
    case "header": {
      const { header, rel } = source;
      return rel === "" ? { header } : { header, rel };
    }
    case "status": {
      const isBool = field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL;
      return isBool ? { status: source.status } : "status";
    }
    case "path":
      return { path: source.path };
    default:
      throw new Error(`${field} has a source without a place`);
  }
}
