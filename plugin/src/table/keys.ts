/** Determines which keys of a JSON object the fields of a message read. */
import type { DescField, DescOneof } from "@bufbuild/protobuf";
import { isFlattened, type TypeModels } from "../model/types.ts";
import { responseNames } from "../model/wire-names.ts";
import type { Key } from "./entry.ts";

/** Reports whether a field is read from the object of its message, not from the head of the response. */
export function comesFromPaths(field: DescField, types: TypeModels): boolean {
  const { sources } = types.field(field);
  return sources.length > 0 && sources.every(({ kind }) => kind === "path");
}

/**
 * Returns the keys of the object that a field is read from; empty if the field is not read from the object.
 */
export function keysOf(field: DescField, types: TypeModels): readonly Key[] {
  const { unknown, sources } = types.field(field);
  if (unknown) return [];
  if (sources.length === 0) return responseNames(field, types);
  if (!comesFromPaths(field, types)) return [];
  return sources.flatMap((source) => (source.kind === "path" ? [{ path: source.path }] : []));
}

/** Returns the first key of a dotted path. A key with dots is quoted. */
export function firstKey(path: string): string {
  const [, quoted, plain = ""] = /^(?:'([^']*)'|([^.]*))/.exec(path) ?? [];
  return quoted ?? plain;
}

/**
 * Returns the key that alone determines the member of a oneof, so that a value that meets no condition is
 * lost. Returns undefined if a field outside of the oneof reads the key, or if other keys of the message
 * contain the members.
 */
export function onlyKey(oneof: DescOneof, types: TypeModels): string | undefined {
  if (isFlattened(oneof, types)) return undefined;
  const paths = oneof.fields.flatMap((field) => types.field(field).conditions.map(({ key }) => key));
  const [key, ...others] = new Set(paths.map(firstKey));
  if (key === undefined || key === "" || others.length > 0) return undefined;
  const beside = oneof.parent.fields.filter((field) => field.oneof !== oneof);
  const readKeys = beside.flatMap((field) => keysOf(field, types));
  return readKeys.some((each) => firstKeyOf(each) === key) ? undefined : key;
}

export function firstKeyOf(key: Key): string {
  return typeof key === "string" ? key : firstKey(key.path);
}

/**
 * Reports whether a string field outside of the oneof keeps the discriminator, even if its value selects no
 * member.
 */
export function keepsSpelling(
  { parent, fields }: DescOneof,
  discriminator: string,
  types: TypeModels,
): boolean {
  return parent.fields.some(
    (other) =>
      !fields.includes(other) &&
      other.fieldKind === "scalar" &&
      responseNames(other, types)[0] === discriminator,
  );
}
