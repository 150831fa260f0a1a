/** Which keys of a JSON object the fields of a message read. */
import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import type { TypeModels } from "../model/types.ts";
import { responseNames, spellings } from "../model/wire-names.ts";

/** The keys of an object that a message's fields read; those of flattened messages are their own. */
export function knownKeys(desc: DescMessage, types: TypeModels): string[] {
  const keys = new Set<string>();
  for (const member of desc.members) {
    if (member.kind === "field") {
      for (const key of ownKeys(member, types)) keys.add(key);
    } else {
      for (const key of oneofKeys(member, types)) keys.add(key);
    }
  }
  return [...keys];
}

/** The keys of the object that a field reads. */
export function ownKeys(field: DescField, types: TypeModels): readonly string[] {
  const { unknown, sources } = types.field(field);
  if (unknown) return [];
  if (sources.length === 0) return responseNames(field, types);
  return sources.flatMap((source) => (source.kind === "path" ? [firstKey(source.path)] : []));
}

/** The first key of a dotted path, which is in quotes where it has dots itself. */
function firstKey(path: string): string {
  const [, quoted, plain = ""] = /^(?:'([^']*)'|([^.]*))/.exec(path) ?? [];
  return quoted ?? plain;
}

function oneofKeys(oneof: DescOneof, types: TypeModels): string[] {
  const { discriminator, layout, payload } = types.oneof(oneof);
  if (layout === "unwrapped") return [];
  if (layout === "beside") return [discriminator, payload].filter((key) => key !== "").flatMap(spellings);
  // a flattened message reports its own keys while it is decoded
  const members = isFlattened(oneof, types)
    ? oneof.fields.filter((field) => field.fieldKind !== "message")
    : oneof.fields;
  const keys = members.flatMap((field) => ownKeys(field, types));
  return discriminator === "" ? keys : [...spellings(discriminator), ...keys];
}

/** The members of a oneof with the paths that they alone are read from. */
export function memberPaths(
  oneof: DescOneof,
  types: TypeModels,
): ReadonlyArray<readonly [DescField, ...string[]]> {
  const { layout, payload } = types.oneof(oneof);
  const flat = isFlattened(oneof, types);
  const below = flat
    ? oneof.fields.flatMap((field) => (field.message ? knownKeys(field.message, types) : []))
    : [];
  const beside = oneof.parent.fields.filter((field) => field.oneof !== oneof);
  const others = new Set([...beside.flatMap((field) => ownKeys(field, types)), ...below]);
  return oneof.fields
    .filter((field) => !flat || field.fieldKind !== "message")
    .map((field) => {
      const paths = layout === "beside" ? spellings(payload) : ownPaths(field, types);
      return [field, ...paths.filter((path) => !others.has(firstKey(path)))] as const;
    })
    .filter(([, ...paths]) => paths.length > 0);
}

function ownPaths(field: DescField, types: TypeModels): readonly string[] {
  const { unknown, sources } = types.field(field);
  if (unknown) return [];
  if (sources.length === 0) return responseNames(field, types).map(pathTo);
  return sources.flatMap((source) => (source.kind === "path" ? [source.path] : []));
}

/** A key as a dotted path. */
export function pathTo(key: string): string {
  return key.includes(".") ? `'${key}'` : key;
}

/** Whether the members of a oneof share the object that the oneof stands in. */
export function isFlattened(oneof: DescOneof, types: TypeModels): boolean {
  const { discriminator, layout } = types.oneof(oneof);
  return layout === "flattened" || (layout === undefined && discriminator !== "");
}

/**
 * The key that holds the members of a oneof whose conditions ask for nothing else, so that a value that meets none of
 * them is lost; undefined where a field beside the oneof reads it, or where the message's other keys hold the members.
 */
export function onlyKey(oneof: DescOneof, types: TypeModels): string | undefined {
  if (isFlattened(oneof, types)) return undefined;
  const paths = oneof.fields.flatMap((field) => types.field(field).conditions.map(({ key }) => key));
  const [key, ...others] = new Set(paths.map(firstKey));
  if (key === undefined || key === "" || others.length > 0) return undefined;
  const beside = oneof.parent.fields.filter((field) => field.oneof !== oneof);
  return beside.some((field) => ownKeys(field, types).includes(key)) ? undefined : key;
}
