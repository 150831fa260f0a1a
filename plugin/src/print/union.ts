/** Prints the members of oneofs with the layout UNWRAPPED, which replace their message in requests. */
import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { messageOf } from "../descriptors/well-known.ts";
import { containerType, type TypeModels } from "../model/types.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { printInline, printString } from "./literal.ts";

const JSON_TYPES = ["string", "number", "boolean", "object", "array", "null"] as const;

/** Returns the JSON types that select a member; for the fallback, the types that select no other member. */
export function memberTypes(field: DescField, types: TypeModels): readonly string[] {
  const typesOf = (member: DescField) => types.field(member).conditions.map(({ type = "" }) => type);
  const { oneof } = field;
  if (oneof === undefined || types.oneof(oneof).fallback !== field.name) return typesOf(field);
  const others = new Set(oneof.fields.filter((other) => other !== field).flatMap(typesOf));
  return JSON_TYPES.filter((type) => !others.has(type));
}

/**
 * Returns the JSON of a member as an expression. If the JSON type depends on the value, the expression checks
 * the type at run time, since another type would select another member.
 *
 * @param json the expression for the JSON
 * @param value the expression for the value in the message
 */
export function typedMember(field: DescField, json: string, value: string, file: AdapterFile): string {
  const types = memberTypes(field, file.types);
  const written = writtenType(field, types, file.types);
  if (written !== undefined && types.includes(written)) return json;
  const call = file.runtimeValue("memberOfTypes");
  return `${call}(${json}, ${printString(field.name)}, ${printInline(types)}, ${value})`;
}

/** Returns the JSON type that all values of a member have; undefined if the type varies. */
function writtenType(field: DescField, chosenBy: readonly string[], types: TypeModels): string | undefined {
  const message = messageOf(field);
  if (message !== undefined) {
    return containerType(field, message, types);
  }
  if (field.fieldKind !== "scalar") return undefined;
  switch (field.scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return "string";
    case ScalarType.BOOL:
      return "boolean";
    // JSON writes infinities and NaN as strings
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return undefined;
    default:
      return chosenBy.includes("number") ? "number" : "string";
  }
}
