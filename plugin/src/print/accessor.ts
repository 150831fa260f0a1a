import type { DescField } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { FieldPath } from "../model/model.ts";
import { printString } from "./literal.ts";

/** How generated code reads a field of a request message. */
export interface Access {
  /** The expression; undefined at run time where the field, or a message around it, is not set. */
  readonly expression: string;
  /** The condition under which there is something to send. */
  readonly isSet: string;
}

/** Reads the value at the end of a path of fields. */
export function access(path: FieldPath, message = "message"): Access {
  let holder = message;
  let optional = false;
  for (const field of path.slice(0, -1)) {
    holder = read(field, holder, optional);
    optional = true;
  }
  const field = path.at(-1) as DescField;
  const expression = read(field, holder, optional);
  return { expression, isSet: isSet(field, expression, optional) };
}

function read(field: DescField, holder: string, optional: boolean): string {
  const dot = optional ? "?." : ".";
  if (field.oneof === undefined) return `${holder}${dot}${field.localName}`;
  const oneof = `${holder}${dot}${field.oneof.localName}`;
  return `(${oneof}${optional ? "?" : ""}.case === ${printString(field.localName)} ? ${oneof}.value : undefined)`;
}

function isSet(field: DescField, expression: string, optional: boolean): string {
  if (field.fieldKind === "list") return optional ? `${expression}?.length` : `${expression}.length > 0`;
  if (field.fieldKind === "map") return `Object.keys(${expression}${optional ? " ?? {}" : ""}).length > 0`;
  if (field.oneof !== undefined || field.presence !== FeatureSet_FieldPresence.IMPLICIT) {
    return `${expression} !== undefined`;
  }
  const isBytes = field.fieldKind === "scalar" && field.scalar === 12;
  return isBytes ? `${expression}${optional ? "?" : ""}.length` : expression;
}
