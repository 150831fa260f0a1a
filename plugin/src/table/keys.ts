/** Determines which keys of a JSON object the fields of a message read. */
import type { DescField } from "@bufbuild/protobuf";
import type { TypeModels } from "../model/types.ts";
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
