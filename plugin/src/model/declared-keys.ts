/** The keys of a JSON object that the fields of a message read. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { valueMessageOf } from "../descriptors/well-known.ts";
import { isIndex, namesOf, stepsOf } from "./dotted-path.ts";
import { isFlattened, type TypeModels, unwrappedOneof } from "./types.ts";
import { responseNames, spellings } from "./wire-names.ts";

/** The fields that read the value of a key, and the fields that read keys inside the value. */
interface Key {
  readonly fields: readonly DescField[];
  readonly below: Keys;
}

type Keys = Map<string, Key>;

const NOTHING: Key = { fields: [], below: new Map() };

/** The fields that a path leads to; empty if the path passes through a quoted key or arbitrary JSON. */
export interface Declared {
  readonly fields: readonly DescField[];
  readonly undeclared?: undefined;
}

/** A step of a path that no field reads, and the keys that fields read at the same place. */
export interface Undeclared {
  readonly undeclared: string;
  readonly keys: readonly string[];
}

/** Follows a path through the JSON of a message, as the fields of the message read it. */
export function resolveKeys(message: DescMessage, path: string, types: TypeModels): Declared | Undeclared {
  let keys = keysOf(message, types);
  let fields: readonly DescField[] = [];
  for (const step of stepsOf(path)) {
    if (keys === undefined || step.quoted) return { fields: [] };
    if (isIndex(step) && fields.some(hasItems)) continue;
    const key: Key | undefined = keys.get(step.name) ?? entryOf(fields);
    if (key === undefined) return { undeclared: step.name, keys: [...keys.keys()] };
    ({ fields } = key);
    keys = below(key, types);
  }
  return { fields };
}

/** Returns the keys that the fields of a message read; undefined if they read all keys. */
export function declaredKeys(message: DescMessage, types: TypeModels): readonly string[] | undefined {
  const isCollected = message.fields.some((field) => types.field(field).unknown);
  const keys = isCollected ? undefined : keysOf(message, types);
  return keys && [...keys.keys()];
}

function hasItems({ fieldKind }: DescField): boolean {
  return fieldKind === "list";
}

/** Returns the fields that read the value of any key in a map. */
function entryOf(fields: readonly DescField[]): Key | undefined {
  const maps = fields.filter(({ fieldKind }) => fieldKind === "map");
  return maps.length === 0 ? undefined : { fields: maps, below: new Map() };
}

function below({ fields, below: own }: Key, types: TypeModels): Keys | undefined {
  const keys: Keys = new Map();
  merge(own, keys);
  for (const field of fields) {
    const message = valueMessageOf(field);
    const inner = message && (types.field(field).unwrap ? undefined : keysOf(message, types));
    if (message !== undefined && inner === undefined) return undefined;
    if (inner !== undefined) merge(inner, keys);
  }
  return fields.length === 0 && own.size === 0 ? undefined : keys;
}

function keysOf(
  message: DescMessage,
  types: TypeModels,
  seen: ReadonlySet<DescMessage> = new Set(),
): Keys | undefined {
  const isFree = message.file.proto.package === "google.protobuf";
  const isObject = unwrappedOneof(message, types) === undefined && !types.tuple(message);
  if (isFree || !isObject || seen.has(message)) return undefined;
  const keys: Keys = new Map();
  for (const field of message.fields) {
    if (isSpread(field, types)) {
      merge(keysOf(field.message, types, new Set([...seen, message])) ?? new Map(), keys);
    }
    for (const path of readPaths(field, types)) insert(keys, path, [field]);
  }
  for (const oneof of message.oneofs) {
    const { discriminator, payload } = types.oneof(oneof);
    const conditions = oneof.fields.flatMap((field) => types.field(field).conditions.map(({ key }) => key));
    const names = [discriminator, payload].flatMap((key) => (key === "" ? [] : spellings(key)));
    const firsts = conditions.flatMap((key) => namesOf(key).slice(0, 1));
    for (const name of [...names, ...firsts]) insert(keys, [name], []);
  }
  return keys;
}

/** Returns the first key of each path that a field is read from. */
export function firstKeysOf(field: DescField, types: TypeModels): string[] {
  return types.field(field).unknown ? [] : pathsOf(field, types).flatMap((path) => path.slice(0, 1));
}

/** Reports whether the keys of a oneof member are the keys of its message. */
function isSpread(field: DescField, types: TypeModels): field is DescField & { fieldKind: "message" } {
  return field.oneof !== undefined && field.fieldKind === "message" && isFlattened(field.oneof, types);
}

/**
 * Returns the paths that a field is read from, split into steps; none if the field collects unknown keys, or
 * if its oneof determines its place.
 */
export function readPaths(field: DescField, types: TypeModels): string[][] {
  const { oneof } = field;
  const isBeside = oneof !== undefined && types.oneof(oneof).layout === "beside";
  return types.field(field).unknown || isBeside || isSpread(field, types) ? [] : pathsOf(field, types);
}

function pathsOf(field: DescField, types: TypeModels): string[][] {
  const { sources } = types.field(field);
  if (sources.length === 0) return responseNames(field, types).map((name) => [name]);
  return sources.flatMap((source) => (source.kind === "path" ? [namesOf(source.path)] : []));
}

function insert(keys: Keys, [first, ...rest]: readonly string[], fields: readonly DescField[]): void {
  if (first === undefined) return;
  const known = keys.get(first) ?? NOTHING;
  const below: Keys = new Map(known.below);
  insert(below, rest, fields);
  keys.set(first, { fields: rest.length === 0 ? [...known.fields, ...fields] : known.fields, below });
}

function merge(from: Keys, to: Keys): void {
  for (const [name, key] of from) {
    const same = to.get(name) ?? NOTHING;
    to.set(name, { fields: [...same.fields, ...key.fields], below: new Map([...same.below, ...key.below]) });
  }
}
