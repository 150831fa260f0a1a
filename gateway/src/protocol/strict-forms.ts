/**
 * Spellings of ProtoJSON that protobuf-es takes for something else than they are, or has no good text for: keys of maps that
 * are numbers, durations and field masks. What is refused here would arrive changed, or not be understood.
 */
import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { show } from "../text/show.ts";
import { fieldsByJsonName } from "./json-names.ts";

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const UNSIGNED = /^(?:0|[1-9]\d*)$/;
const DURATION = /^-?\d+(?:\.\d{1,9})?s$/;
const MASK = /^(?:[^,]+(?:,[^,]+)*)?$/;

const UNSIGNED_TYPES: ReadonlySet<ScalarType> = new Set([
  ScalarType.UINT32,
  ScalarType.UINT64,
  ScalarType.FIXED32,
  ScalarType.FIXED64,
]);

/**
 * Refuses a message as ProtoJSON with a spelling that has to be another one. What is no JSON, or does not fit, is for
 * protobuf-es to report. Only messages are looked at that have such fields.
 *
 * @param types those that a google.protobuf.Any may have
 * @throws ConnectError INVALID_ARGUMENT that names the field and the spelling
 */
export function checkForms(desc: DescMessage, text: string, types: Registry | undefined): void {
  if (!needsCheck(desc)) return;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return;
  }
  new Checker(types).message(desc, json, "", 0);
}

/** Deeper messages are refused by others. */
const MAX_DEPTH = 1000;

class Checker {
  private readonly types: Registry | undefined;

  constructor(types: Registry | undefined) {
    this.types = types;
  }

  message(desc: DescMessage, json: unknown, path: string, depth: number): void {
    if (depth > MAX_DEPTH) return;
    switch (desc.typeName) {
      case "google.protobuf.Duration":
        if (typeof json !== "string" || DURATION.test(json)) return;
        throw wrong(path, json, 'a duration is seconds with at most 9 digits behind the point, e.g. "1.5s"');
      case "google.protobuf.FieldMask":
        if (typeof json !== "string" || MASK.test(json)) return;
        throw wrong(
          path,
          json,
          'a field mask is paths with commas between them, e.g. "a,b.c", none of them empty',
        );
      case "google.protobuf.Any":
        this.any(json, path, depth);
        return;
    }
    if (!isObject(json) || !needsCheck(desc)) return;
    const fields = fieldsByJsonName(desc);
    for (const [name, value] of Object.entries(json)) {
      const field = fields.get(name) ?? this.extension(name);
      if (field !== undefined) this.field(field, value, path === "" ? name : `${path}.${name}`, depth);
    }
  }

  private field(field: DescField, value: unknown, path: string, depth: number): void {
    const { message } = field;
    if (field.fieldKind === "list") {
      if (!Array.isArray(value) || message === undefined) return;
      for (const [index, item] of value.entries()) {
        this.message(message, item, `${path}[${index}]`, depth + 1);
      }
    } else if (field.fieldKind === "map") {
      if (!isObject(value)) return;
      for (const [key, item] of Object.entries(value)) {
        checkKey(field.mapKey, key, path);
        if (message !== undefined) this.message(message, item, `${path}[${show(key)}]`, depth + 1);
      }
    } else if (message !== undefined) {
      this.message(message, value, path, depth + 1);
    }
  }

  private any(json: unknown, path: string, depth: number): void {
    if (!isObject(json)) return;
    const { "@type": url } = json;
    const desc =
      typeof url === "string" ? this.types?.getMessage(url.slice(url.lastIndexOf("/") + 1)) : undefined;
    if (desc === undefined) return;
    const hasOwnForm = desc.typeName.startsWith("google.protobuf.") && Object.hasOwn(json, "value");
    this.message(desc, hasOwnForm ? json.value : json, path, depth + 1);
  }

  private extension(name: string): DescField | undefined {
    return name.startsWith("[")
      ? (this.types?.getExtension(name.slice(1, -1)) as DescField | undefined)
      : undefined;
  }
}

function checkKey(type: ScalarType, key: string, path: string): void {
  if (!isNumber(type)) return;
  const isUnsigned = UNSIGNED_TYPES.has(type);
  if ((isUnsigned ? UNSIGNED : INTEGER).test(key)) return;
  const range = isUnsigned ? "an integer from 0" : "an integer";
  throw wrong(
    path,
    key,
    `a key of this map is ${range} in decimal digits, with nothing and no zeros before it`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(path: string, value: string, expected: string): ConnectError {
  return new ConnectError(`${path || "the message"}: ${expected}; got ${show(value)}`, Code.InvalidArgument);
}

const known = new WeakMap<DescMessage, boolean>();

/** Whether there may be something to look at, in the message or in one that it may hold. */
function needsCheck(desc: DescMessage): boolean {
  const cached = known.get(desc);
  if (cached !== undefined) return cached;
  const reached = new Set<DescMessage>([desc]);
  let isNeeded = false;
  for (const each of reached) {
    isNeeded ||= isSpecial(each) || each.fields.some(hasNumbersAsKeys);
    for (const { message } of each.fields) if (message !== undefined) reached.add(message);
  }
  known.set(desc, isNeeded);
  return isNeeded;
}

function isSpecial({ typeName, proto }: DescMessage): boolean {
  return (
    typeName === "google.protobuf.Duration" ||
    typeName === "google.protobuf.FieldMask" ||
    typeName === "google.protobuf.Any" ||
    proto.extensionRange.length > 0
  );
}

function hasNumbersAsKeys(field: DescField): boolean {
  return field.fieldKind === "map" && isNumber(field.mapKey);
}

function isNumber(key: ScalarType): boolean {
  return key !== ScalarType.STRING && key !== ScalarType.BOOL;
}
