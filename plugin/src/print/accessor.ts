import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { Edition, FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { FieldPath } from "../model/model.ts";
import { printString } from "./literal.ts";

/** The code that reads a field of a request message. */
export interface Access {
  /** The expression for the value, valid if `isSet` is true. */
  readonly expression: string;
  /** The condition under which the value is sent. */
  readonly isSet: string;
  /** The expression for the value; undefined if the field or a message that contains it is not set. */
  readonly optional: string;
  /** Whether `optional` can be undefined. */
  readonly mayBeUnset: boolean;
}

/** Puts a line under a condition; returns the line unchanged if the condition is empty. */
export function under(isSet: string, line: string): string {
  return isSet === "" ? line : `if (${isSet}) ${line}`;
}

/**
 * Returns the code that reads the value at the end of a path of fields.
 *
 * @param isRequired whether a zero value without presence counts as set
 */
export function access(path: FieldPath, message = "message", isRequired = false): Access {
  const guards: string[] = [];
  let holder = message;
  let isOptional = false;
  for (const field of path.slice(0, -1)) {
    holder = read(field, holder, isOptional, guards);
    // a oneof member is set if the oneof has the case of the member; any other message may be missing
    isOptional = field.oneof === undefined;
  }
  const field = path.at(-1) as DescField;
  const expression = read(field, holder, isOptional, guards);
  const hasPresence = field.presence !== FeatureSet_FieldPresence.IMPLICIT;
  const own =
    field.oneof !== undefined
      ? undefined
      : isRequired && !hasPresence
        ? isOptional
          ? `${holder} !== undefined`
          : undefined
        : ownCondition(field, holder, isOptional);
  const isSet = [...guards, ...(own === undefined ? [] : [own])].join(" && ");
  // the condition makes further checks unnecessary, but the type checker cannot follow `??`
  const known = isSet.includes(" ?? ") ? expression : expression.replaceAll("?.", ".");
  return {
    expression: known,
    isSet,
    optional: guards.length === 0 ? expression : `(${guards.join(" && ")} ? ${expression} : undefined)`,
    mayBeUnset: guards.length > 0 || isOptional || isSet.endsWith("!== undefined"),
  };
}

function read(field: DescField, holder: string, isOptional: boolean, guards: string[]): string {
  const dot = isOptional ? "?." : ".";
  if (field.oneof === undefined) return `${holder}${dot}${field.localName}`;
  const oneof = `${holder}${dot}${field.oneof.localName}`;
  guards.push(`${oneof}.case === ${printString(field.localName)}`);
  return `${oneof}.value`;
}

/**
 * Returns the condition for a field outside of oneofs. A field with implicit presence is sent unless it is
 * zero.
 */
function ownCondition(field: DescField, holder: string, isOptional: boolean): string {
  const expression = `${holder}${isOptional ? "?." : "."}${field.localName}`;
  if (field.fieldKind === "list") return isOptional ? `${expression}.length` : `${expression}.length > 0`;
  if (field.fieldKind === "map") return `Object.keys(${expression}${isOptional ? " ?? {}" : ""}).length > 0`;
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) {
    if (!hasInheritedDefault(field)) return `${expression} !== undefined`;
    const isOwn = `Object.hasOwn(${holder}, ${printString(field.localName)})`;
    return isOptional ? `${holder} !== undefined && ${isOwn}` : isOwn;
  }
  if (field.fieldKind !== "scalar") return expression;
  if (field.scalar === ScalarType.BYTES) return `${expression}.length`;
  // NaN and -0 are falsy, but are not the default value
  if (field.scalar !== ScalarType.DOUBLE && field.scalar !== ScalarType.FLOAT) return expression;
  return `!Object.is(${isOptional ? `${expression} ?? 0` : expression}, 0)`;
}

/**
 * Reports whether protobuf-es keeps the default value of a field in the prototype of the message, so that
 * reading the field always returns a value.
 */
function hasInheritedDefault(field: DescField): boolean {
  return field.parent.file.edition !== Edition.EDITION_PROTO3 && field.fieldKind !== "message";
}
