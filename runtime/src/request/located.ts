import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { type Invalid, locatable } from "./invalid-value.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The maximum number of locations of a value that are searched. */
const MAX_PLACES = 20;

/**
 * Adds to an error the path of the invalid value in the request message: `pen.lists[1].tags.color`, in names
 * of the .proto file. The code that writes a value knows only the value and its name on the wire. If a scalar
 * occurs in several locations, the path leads to the field that contains all of them. If no field contains
 * all of them, the error keeps the wire name.
 */
export function located(error: ConnectError, desc: DescMessage, message: Message): ConnectError {
  const found = locatable(error);
  if (found === undefined) return error;
  const { value, key, enumName, named } = found;
  const isOne = typeof value === "object" || enumName !== undefined;
  const [first, ...others] = pathsTo(desc, message, found).take(isOne ? 1 : MAX_PLACES);
  if (first === undefined) return error;
  const path = others.reduce(commonPath, first);
  if (path === "") return error;
  return named(key === undefined ? path : `${path}.${key}`);
}

/** Returns the common part of two paths: `a.b` for `a.b[0].c` and `a.b[1]`. */
function commonPath(one: string, other: string): string {
  const steps = one.split(STEP);
  const others = other.split(STEP);
  const end = steps.findIndex((step, index) => step !== others[index]);
  return end < 0 ? one : steps.slice(0, end).join("");
}

const STEP = /(?=[.[])/;

function* pathsTo(desc: DescMessage, message: object, wanted: Invalid, before = ""): Generator<string> {
  for (const field of desc.fields) {
    const value = fieldValue(field, message as Fields);
    if (value === undefined) continue;
    const path = `${before}${field.name}`;
    const mayMatch = wanted.enumName === undefined || field.enum?.typeName === wanted.enumName;
    if (mayMatch && Object.is(value, wanted.value)) yield path;
    if (typeof value !== "object" || value === null) continue;
    for (const [step, item] of itemsOf(field, value)) {
      if (mayMatch && step !== "" && Object.is(item, wanted.value)) yield path + step;
      const { message: type } = field;
      // well-known types may be plain values
      if (type !== undefined && isMessage(item)) yield* pathsTo(type, item, wanted, `${path}${step}.`);
    }
  }
}

function fieldValue(field: DescField, message: Fields): unknown {
  if (field.oneof === undefined) return message[field.localName];
  const member = message[field.oneof.localName] as { case?: string; value?: unknown } | undefined;
  return member?.case === field.localName ? member.value : undefined;
}

function* itemsOf(
  { fieldKind }: DescField,
  value: object,
): Generator<readonly [step: string, item: unknown]> {
  if (fieldKind === "list") {
    for (const [index, item] of (value as readonly unknown[]).entries()) yield [`[${index}]`, item];
  } else if (fieldKind === "map") {
    for (const [key, item] of Object.entries(value)) yield [`.${key}`, item];
  } else {
    yield ["", value];
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "$typeName" in value;
}
