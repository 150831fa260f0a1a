import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { getOption, ScalarType } from "@bufbuild/protobuf";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import { field as fieldOption, enum_value as valueOption } from "../gen/connectrest/v1/annotations_pb.ts";
import { FieldRules_Style as Style } from "../gen/connectrest/v1/field_rules_pb.ts";
import { bindingsOf } from "./wire-bindings.ts";

/** The names and values that the requests of a method may have. */
export interface RequestNames {
  /** Reports whether the description knows a parameter of the query, of a form or of a multipart body. */
  knowsParameter(name: string): boolean;
  /** Reports whether the description knows a key at the top level of a JSON body. */
  knowsKey(key: string): boolean;
  /** Returns the field that a parameter, a key or a path variable sets. */
  fieldOf(name: string): DescField | undefined;
}

/** Parameters that credentials add to requests. */
const OF_CREDENTIALS = /^oauth_[a-z_]+$|^(?:access_token|client_id|client_secret)$/;
/** The steps of a parameter below its first name: `.b`, `[b]`, `[0]` and `[]`. */
const BELOW = /\.([^.[\]]+)|\[([^[\]]*)\]/g;

/** Returns the names that a method's annotations declare for its requests. */
export function requestNamesOf({ method, rules }: AnyMethodAdapter): RequestNames {
  const { input } = method;
  const bindings = bindingsOf(method);
  const fixed = new Set(bindings.flatMap(({ constants }) => constants.map(({ name }) => name)));
  const key = rules.apiKey?.query;
  if (key !== undefined) fixed.add(key);
  const isSpread = input.fields.some(
    (field: DescField) => getOption(field, fieldOption).style === Style.SPREAD,
  );
  const bodies = bindings.map(({ body }) => bodyOf(method, body));
  const knows = (name: string) => fixed.has(name) || OF_CREDENTIALS.test(name);
  return {
    knowsParameter(name) {
      return isSpread || knows(name) || [input, ...bodies].some((each) => each && fieldIn(each, name));
    },
    knowsKey(name) {
      return fixed.has(name) || bodies.some((body) => body === undefined || knowsKey(body, name));
    },
    fieldOf(name) {
      return [input, ...bodies]
        .map((each) => each && fieldIn(each, name))
        .find((found) => found !== undefined);
    },
  };
}

/** Reports whether a field can have a value that a request spells as text. */
export function readsText(field: DescField, text: string): boolean {
  const kind = field.fieldKind === "list" ? field.listKind : field.fieldKind;
  // a list may be separated by commas, and its values then have no fixed form
  if (field.fieldKind === "list" && text.includes(",")) return true;
  if (kind === "enum" && field.enum !== undefined) return text === "" || isValue(field.enum.values, text);
  if (kind !== "scalar" || field.scalar === undefined) return true;
  switch (field.scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return true;
    case ScalarType.BOOL:
      return /^(?:true|false|1|0)$/.test(text);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return text.trim() !== "" && !Number.isNaN(Number(text));
    default:
      return /^-?\d+$/.test(text);
  }
}

function isValue(values: NonNullable<DescField["enum"]>["values"], text: string): boolean {
  return values.some((value) => {
    const { wire, aliases } = getOption(value, valueOption);
    return [wire, ...aliases, value.name, String(value.number)].includes(text);
  });
}

/** Returns the message whose fields are the body; undefined for a body that is not a message. */
function bodyOf({ input }: DescMethod, body: string): DescMessage | undefined {
  if (body === "*") return input;
  return input.fields.find(({ name }) => name === body)?.message;
}

function knowsKey(message: DescMessage, key: string, seen: ReadonlySet<DescMessage> = new Set()): boolean {
  if (/^google\.(?:protobuf|api)\./.test(message.typeName) || seen.has(message)) return true;
  return message.fields.some((field) => {
    const rules = getOption(field, fieldOption);
    if (rules.unknown || namesOf(field).some((name) => name.split(".")[0] === key)) return true;
    // the keys of a oneof member may be in the object that contains the oneof
    const isShared = field.oneof !== undefined && field.fieldKind === "message";
    return isShared && knowsKey(field.message, key, new Set([...seen, message]));
  });
}

/** Returns the field that a parameter names: `name`, `name[0]`, `name[]`, `outer.inner` or `outer[inner]`. */
function fieldIn(message: DescMessage, name: string): DescField | undefined {
  const direct = message.fields.find((field) => namesOf(field).includes(name));
  if (direct !== undefined) return direct;
  for (const field of message.fields) {
    const start = namesOf(field).find(
      (each) => /^[.[]/.test(name.slice(each.length)) && name.startsWith(each),
    );
    if (start === undefined) continue;
    const steps = Array.from(
      name.slice(start.length).matchAll(BELOW),
      ([, dot, bracket = ""]) => dot ?? bracket,
    );
    return fieldBelow(field, steps);
  }
  return undefined;
}

function fieldBelow(field: DescField, steps: readonly string[]): DescField | undefined {
  const [first, ...rest] = steps;
  if (first === undefined || field.fieldKind === "map") return field;
  if (field.fieldKind === "list" && /^\d*$/.test(first)) return fieldBelow(field, rest);
  const inner = field.message?.fields.find((each) => namesOf(each).includes(first));
  return inner && fieldBelow(inner, rest);
}

function namesOf(field: DescField): readonly string[] {
  const { name } = getOption(field, fieldOption);
  return name === "" ? [field.name, field.jsonName] : [name];
}
