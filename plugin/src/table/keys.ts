/** Which keys of a JSON object the fields of a message read. */
import type { DescField, DescOneof } from "@bufbuild/protobuf";
import { isFlattened, type TypeModels } from "../model/types.ts";
import { responseNames } from "../model/wire-names.ts";
import type { Key } from "./entry.ts";

/**
 * Whether a field is found in the object that its message is read from, and not in the head of the response.
 */
export function comesFromPaths(field: DescField, types: TypeModels): boolean {
  const { sources } = types.field(field);
  return sources.length > 0 && sources.every(({ kind }) => kind === "path");
}

/** The keys of the object that a field is read from; none where it is not. */
export function keysOf(field: DescField, types: TypeModels): readonly Key[] {
  const { unknown, sources } = types.field(field);
  if (unknown) return [];
  if (sources.length === 0) return responseNames(field, types);
  if (!comesFromPaths(field, types)) return [];
  return sources.flatMap((source) => (source.kind === "path" ? [{ path: source.path }] : []));
}

/** The first key of a dotted path, which is in quotes where it has dots itself. */
export function firstKey(path: string): string {
  const [, quoted, plain = ""] = /^(?:'([^']*)'|([^.]*))/.exec(path) ?? [];
  return quoted ?? plain;
}

/**
 * The key that holds the members of a oneof whose conditions ask for nothing else, so that a value that meets
 * none of them is lost; undefined where a field beside the oneof reads it,
 * or where the message's other keys hold the members.
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

/** Whether a text beside the oneof keeps what chooses the member, also where no member has it. */
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
