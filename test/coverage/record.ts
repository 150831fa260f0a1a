import { type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import {
  field as fieldOption,
  oneof as oneofOption,
} from "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js";
import { OneofRules_Layout } from "connect-rest-runtime/gen/connectrest/v1/field_rules_pb.js";

type Json = Readonly<Record<string, unknown>>;

/** The values that were seen while the cases ran. */
export class Records {
  /** `METHOD path-pattern name` for each parameter that the sandbox received. */
  readonly parameters = new Set<string>();
  /** `message.key` for each key of a response that was read into a field of the message. */
  readonly fields = new Set<string>();
  /** `endpoint status[.subcode]` for each error that a caller received. */
  readonly errors = new Set<string>();
  /** The names of cases that returned their response. */
  readonly answered = new Set<string>();

  /** Records the keys of an object that were read into fields of its message, at any depth. */
  consume(json: unknown, message: ReflectMessage): void {
    if (!isObject(json)) return;
    const unknown = unknownKeys(message);
    for (const field of message.fields) {
      if (isFlattened(field)) {
        if (message.isSet(field)) this.consume(json, message.get(field) as ReflectMessage);
        continue;
      }
      for (const key of keysOf(field)) {
        const value = at(json, key);
        if (value === undefined || unknown.has(key)) continue;
        if (!message.isSet(field) && !isNothing(value)) continue;
        this.fields.add(`${message.desc.typeName}.${key}`);
        this.consumeValue(value, message, field);
      }
    }
  }

  private consumeValue(value: unknown, message: ReflectMessage, field: DescField): void {
    if (!message.isSet(field)) return;
    if (field.fieldKind === "map" && field.mapKind === "message") {
      for (const [key, entry] of message.get(field) as Iterable<[string, ReflectMessage]>) {
        this.fields.add(`${message.desc.typeName}.${keysOf(field)[0]}.${key}`);
        this.consumeOne(at(Object(value) as Json, key), field.message, entry);
      }
    }
    if (field.fieldKind === "message") {
      this.consumeOne(value, field.message, message.get(field) as ReflectMessage);
    }
    if (field.fieldKind !== "list" || field.listKind !== "message") return;
    const items = Array.isArray(value) ? value : [value];
    const list = [...(message.get(field) as Iterable<ReflectMessage>)];
    // If items were omitted, the indexes of JSON values and decoded items do not match.
    if (items.length === list.length) {
      for (const [index, item] of list.entries()) this.consumeOne(items[index], field.message, item);
    }
  }

  private consumeOne(value: unknown, desc: DescMessage, message: ReflectMessage): void {
    if (desc.typeName.startsWith("google.")) return;
    const [only] = desc.fields;
    if (Array.isArray(value) && only !== undefined && desc.fields.length === 1) {
      this.consumeValue(value, message, only);
      return;
    }
    this.consume(Array.isArray(value) ? value[0] : value, message);
  }
}

/** Returns the message of a response, for `consume`. */
export function reflected(desc: DescMessage, message: object): ReflectMessage {
  return reflect(desc, message as Parameters<typeof reflect>[1]);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether a value is a default, which a field without presence does not store. */
function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === "" || value === false || value === 0;
}

function isFlattened({ oneof, fieldKind }: DescField): boolean {
  if (oneof === undefined || fieldKind !== "message" || !hasOption(oneof, oneofOption)) return false;
  const { layout, discriminator } = getOption(oneof, oneofOption);
  return layout === OneofRules_Layout.FLATTENED || (layout === 0 && discriminator !== "");
}

/** Returns the keys from which a field is read: its wire name, aliases, and paths. */
function keysOf(field: DescField): readonly string[] {
  const { name, aliases, from, unknown } = getOption(field, fieldOption);
  if (unknown) return [];
  const paths = from.flatMap(({ source }) => (source.case === "path" ? [source.value] : []));
  return paths.length > 0 ? paths : [name === "" ? field.name : name, ...aliases];
}

function at(json: Json, path: string): unknown {
  if (path in json) return json[path];
  let value: unknown = json;
  for (const step of path.split(".")) value = isObject(value) ? value[step] : undefined;
  return value;
}

function unknownKeys(message: ReflectMessage): ReadonlySet<string> {
  const collector = message.fields.find((field) => getOption(field, fieldOption).unknown);
  if (collector?.fieldKind !== "map") return new Set();
  const entries = message.get(collector) as Iterable<readonly [unknown, unknown]>;
  return new Set([...entries].map(([key]) => String(key)));
}
