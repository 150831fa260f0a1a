/** Writes field masks with wire names, and clears the fields that they name. */
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import type { MaskedField, MaskTable } from "connect-rest-codec/internal";
import { isJsonObject, type JsonValue, ownValue } from "connect-rest-codec/internal";
import { type JsonRecord, setOwn } from "./encode.ts";
import { invalidParameter } from "./invalid-value.ts";

/** The case of paths that a table does not contain, and of paths in masks without a table. */
export type MaskNames = "lowerCamel" | "asDeclared";

/**
 * Encodes a google.protobuf.FieldMask as a string, with paths joined by commas. The paths are in lowerCamel
 * as in ProtoJSON, or from a table.
 *
 * @throws ConnectError INVALID_ARGUMENT for a path that would be read as a different path
 */
export function fieldMaskText(mask: FieldMask, table?: MaskTable, names: MaskNames = "lowerCamel"): string {
  const written: string[] = [];
  const seen = new Set<string>();
  for (const path of mask.paths) {
    if (path === "" || path.includes(",")) throw otherPath(mask, path);
    const paths = wirePaths(path, { mask, names }, table);
    // keeps duplicates from the caller, unless a member expands to several paths
    const isMember = paths.length > 1;
    for (const each of paths) {
      if (!isMember || !seen.has(each)) written.push(each);
      seen.add(each);
    }
  }
  return written.join(",");
}

/**
 * Returns the wire form of a path. A path that ends at a oneof member without a key has several wire forms.
 */
function wirePaths(path: string, whole: Whole, table: MaskTable | undefined): string[] {
  const written: string[] = [];
  const steps = path.split(".");
  let fields = table;
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] ?? "";
    const siblings = fields;
    const field = fields && Object.hasOwn(fields, step) ? fields[step] : undefined;
    const unknown = () => unknownStep(step, whole, siblings);
    fields = field?.fields?.();
    if (field !== undefined && field.name === undefined) {
      if (index < steps.length - 1) continue;
      const keys = keysOf(field, new Set());
      return (keys.length === 0 ? [unknown()] : keys).map((key) => [...written, key].join("."));
    }
    written.push(field?.name ?? unknown());
    if (field?.kind === "map") {
      // the caller chose the keys of the map, so they are not changed
      const keys = field.fields === undefined ? steps.slice(index + 1) : steps.slice(index + 1, index + 2);
      written.push(...keys);
      index += keys.length;
    } else if (field?.kind === "list" && steps[index + 1] === "*") {
      written.push("*");
      index += 1;
    }
  }
  return [written.join(".")];
}

/**
 * Returns all keys of a member without its own key, including its discriminator. A member may contain itself.
 */
function keysOf({ discriminator, fields }: MaskedField, seen: Set<MaskTable>): string[] {
  const table = fields?.() ?? {};
  if (seen.has(table)) return [];
  seen.add(table);
  const keys = Object.values(table).flatMap((field) =>
    field.name === undefined ? keysOf(field, seen) : [field.name],
  );
  return discriminator === undefined ? keys : [discriminator, ...keys];
}

/** The mask that contains a step (named in errors), and the case of its paths. */
interface Whole {
  readonly mask: FieldMask;
  readonly names: MaskNames;
}

/**
 * Returns the wire form of a step that names no known field. The wire form must not be read as another field.
 */
function unknownStep(step: string, { mask, names }: Whole, fields: MaskTable | undefined): string {
  const written = names === "asDeclared" ? step : lowerCamel(step);
  const isKnown = fields !== undefined && Object.values(fields).some(({ name }) => name === written);
  // in lowerCamel, such a name would look like `foo_bar` or `foo1`
  const isOther = names !== "asDeclared" && /[A-Z]|_\d/.test(step);
  if (isKnown || isOther) throw otherPath(mask, step);
  return written;
}

function lowerCamel(step: string): string {
  return step.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function otherPath(mask: FieldMask, path: string): Error {
  const problem = `the path ${JSON.stringify(path)} is read as another one`;
  const remedy = "name fields as they are declared";
  return invalidParameter("google.protobuf.FieldMask", "request", { problem, remedy }, { value: mask });
}

/**
 * Writes the fields that a mask names and an object lacks: as `null`, as empty lists and maps, or as zero for
 * a field without presence. Creates missing objects along the paths. `*` names all fields of the message that
 * have a key. A oneof member without a key represents all of its fields.
 *
 * @param field the name of the mask, for errors
 * @throws ConnectError INVALID_ARGUMENT if a path does not lead to a field
 */
export function sendUnset(
  json: JsonRecord,
  field: string,
  mask: FieldMask,
  table: MaskTable,
  unset: "null" | "empty",
): void {
  const unknown: string[] = [];
  // parents are first: if a parent is null, its fields are not written
  const paths = mask.paths.flatMap((path) => (path === "*" ? keyed(table) : [path])).sort();
  for (const path of paths) if (!clear(json, path.split("."), table, unset)) unknown.push(path);
  if (unknown.length === 0) return;
  const problem = {
    problem: `names no field of the message: ${unknown.join(", ")}`,
    remedy: "name fields as they are declared, joined by dots; items of lists cannot be named",
  };
  throw invalidParameter(field, "request", problem, { value: mask });
}

/** Writes the field at a path if it is missing. Reports whether the path leads to a field. */
function clear(
  json: JsonRecord,
  [step = "", ...below]: readonly string[],
  table: MaskTable,
  unset: "null" | "empty",
): boolean {
  const field = Object.hasOwn(table, step) ? table[step] : undefined;
  if (field === undefined) return false;
  const { name, kind, fields } = field;
  if (name === undefined) {
    const members = fields?.() ?? {};
    if (below.length > 0) return clear(json, below, members, unset);
    return keyed(members).every((member) => clear(json, [member], members, unset));
  }
  if (below.length === 0) {
    if (!Object.hasOwn(json, name)) setOwn(json, name, unsetValue(field, unset));
    return true;
  }
  if (kind === "list" || (kind === undefined && fields === undefined)) return false;
  if (!Object.hasOwn(json, name)) setOwn(json, name, {});
  const holder = ownValue(json, name);
  const inner = isJsonObject(holder) ? (holder as JsonRecord) : {};
  if (kind === undefined) return clear(inner, below, fields?.() ?? {}, unset);
  const key = (fields === undefined ? below.join(".") : (below[0] ?? "")).replace(/^`(.*)`$/, "$1");
  if (fields !== undefined && below.length > 1) {
    if (!Object.hasOwn(inner, key)) setOwn(inner, key, {});
    const value = ownValue(inner, key);
    return clear(isJsonObject(value) ? (value as JsonRecord) : {}, below.slice(1), fields(), unset);
  }
  if (!Object.hasOwn(inner, key)) setOwn(inner, key, null);
  return true;
}

/** Returns the fields of a table that have a key. */
function keyed(table: MaskTable): string[] {
  return Object.keys(table).filter((field) => table[field]?.name !== undefined);
}

function unsetValue({ kind, zero }: MaskedField, unset: "null" | "empty"): JsonValue {
  if (kind === undefined) return zero ?? null;
  if (unset === "null") return null;
  return zero ?? (kind === "list" ? [] : {});
}

/** Returns the object at a key. Creates the object if it is missing. */
export function objectAt(json: JsonRecord, key: string): JsonRecord {
  const value = ownValue(json, key);
  if (isJsonObject(value)) return value as JsonRecord;
  const made: JsonRecord = {};
  setOwn(json, key, made);
  return made;
}
