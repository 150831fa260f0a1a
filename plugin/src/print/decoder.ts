import { type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import { commentOf } from "../descriptors/comments.ts";
import { localName } from "../descriptors/names.ts";
import { fieldRules, oneofRules } from "../descriptors/options.ts";
import { isWrapper } from "../descriptors/well-known.ts";
import {
  OneofRules_Layout as Layout,
  FieldRules_Style as Style,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { constantName, enumTable } from "./enum-table.ts";
import { printMember, printString } from "./literal.ts";
import { noTime, timeRule } from "./time-rule.ts";
import { responseNames } from "./wire-names.ts";

/** The writer's method for a scalar type. */
export const SCALAR_KINDS: Readonly<Record<ScalarType, string>> = {
  [ScalarType.DOUBLE]: "double",
  [ScalarType.FLOAT]: "float",
  [ScalarType.INT64]: "int64",
  [ScalarType.UINT64]: "uint64",
  [ScalarType.INT32]: "int32",
  [ScalarType.FIXED64]: "fixed64",
  [ScalarType.FIXED32]: "fixed32",
  [ScalarType.BOOL]: "bool",
  [ScalarType.STRING]: "string",
  [ScalarType.BYTES]: "bytes",
  [ScalarType.UINT32]: "uint32",
  [ScalarType.SFIXED32]: "sfixed32",
  [ScalarType.SFIXED64]: "sfixed64",
  [ScalarType.SINT32]: "sint32",
  [ScalarType.SINT64]: "sint64",
};

// Keys that every JavaScript object has: read as own properties only.
const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Decoders of messages that JSON writes in a way of their own, in the runtime. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  "google.protobuf.Struct": "decodeStruct",
  "google.protobuf.Empty": "decodeEmpty",
};

/** The function that decodes a message; printed where it is first asked for. */
export function decoderOf(desc: DescMessage, file: AdapterFile): string {
  const wellKnown = WELL_KNOWN[desc.typeName];
  if (wellKnown !== undefined) return file.runtimeValue(wellKnown);
  return file.sharedPart(desc, `decode${localName(desc)}`, (name, home) => printDecoder(desc, name, home));
}

function printDecoder(desc: DescMessage, name: string, file: AdapterFile): string[] {
  const json = file.runtimeType("JsonObject");
  const out = file.runtimeType("ProtoWriter");
  const lines = desc.members.flatMap((member) =>
    member.kind === "oneof" ? oneofLines(member, file) : fieldLines(member, "json", file),
  );
  return [
    ...docComment(`Decodes ${desc.typeName}.${summary(desc)}`),
    `export function ${name}(json: ${json}, out: ${out}): void {`,
    ...lines.map((line) => `  ${line}`),
    `  ${unknownLine(desc, file)}`,
    "}",
  ];
}

function summary(desc: DescMessage): string {
  const [first] = commentOf(desc).split("\n\n");
  return first === undefined || first === "" ? "" : ` ${first.replaceAll("\n", " ")}`;
}

/** The last line of a decoder: what happens to the keys that no field names. */
function unknownLine(desc: DescMessage, file: AdapterFile): string {
  const keys = file.part(desc, `${constantName(localName(desc))}_KEYS`, (name) => [
    `const ${name}: ReadonlySet<string> = new Set([`,
    ...knownKeys(desc).map((key) => `  ${printString(key)},`),
    "]);",
  ]);
  const collector = desc.fields.find((field) => fieldRules(field).unknown);
  return collector === undefined
    ? `out.unknownKeys(json, ${keys});`
    : `out.unknown(${collector.number}, json, ${keys});`;
}

function knownKeys(desc: DescMessage): string[] {
  const keys = new Set<string>();
  for (const member of desc.members) {
    if (member.kind === "field") for (const key of ownKeys(member)) keys.add(key);
    else for (const key of oneofKeys(member)) keys.add(key);
  }
  return [...keys];
}

function ownKeys(field: DescField): readonly string[] {
  return fieldRules(field).unknown || fieldRules(field).from.length > 0 ? [] : responseNames(field);
}

function oneofKeys(oneof: DescOneof): string[] {
  const { discriminator, layout, payload } = oneofRules(oneof);
  if (discriminator === "") return oneof.fields.flatMap(ownKeys);
  if (layout === Layout.NESTED) return [discriminator, ...oneof.fields.flatMap(ownKeys)];
  if (layout === Layout.BESIDE) return [discriminator, payload];
  // a flattened message reports its own keys while it is decoded
  return [
    discriminator,
    ...oneof.fields.flatMap((field) => (field.fieldKind === "message" ? [] : ownKeys(field))),
  ];
}

/** The lines that decode a oneof: by its discriminator, or member by member. */
function oneofLines(oneof: DescOneof, file: AdapterFile): string[] {
  const { discriminator, layout, payload, fallback } = oneofRules(oneof);
  if (discriminator === "") return oneof.fields.flatMap((field) => fieldLines(field, "json", file));
  const cases = oneof.fields.flatMap((field) => {
    const lines = memberLines(field, layout, payload, file);
    const values =
      field.name === fallback ? ["default"] : wireValues(field).map((value) => `case ${printString(value)}`);
    return [...values.map((value) => `  ${value}:`), ...lines.map((line) => `    ${line}`), "    break;"];
  });
  const otherwise =
    fallback === ""
      ? [
          "  default:",
          `    out.drop(${printString(discriminator)}, "a known ${oneof.name}", ${printMember("json", discriminator)});`,
        ]
      : [];
  return [`switch (${printMember("json", discriminator)}) {`, ...cases, ...otherwise, "}"];
}

function memberLines(field: DescField, layout: Layout, payload: string, file: AdapterFile): string[] {
  if (layout === Layout.NESTED) return fieldLines(field, "json", file);
  if (field.fieldKind !== "message") return fieldLines(field, "json", file);
  const decoder = decoderOf(field.message, file);
  if (layout !== Layout.BESIDE) return [`out.flattened(${field.number}, json, ${decoder});`];
  return [
    `out.message(${field.number}, ${printMember("json", payload)}, ${printString(payload)}, ${decoder});`,
  ];
}

/** The values of the discriminator that choose a member. */
export function wireValues(field: DescField): string[] {
  const values = fieldRules(field).when.flatMap((when) => when.values);
  return values.length > 0 ? values : [field.name];
}

/** The lines that decode one field from an object's keys. */
function fieldLines(field: DescField, object: string, file: AdapterFile): string[] {
  const rules = fieldRules(field);
  if (rules.unknown || rules.from.length > 0) return [];
  const [key] = responseNames(field);
  return [valueLine(field, readKeys(object, responseNames(field), file), key, file)];
}

function readKeys(object: string, names: readonly string[], file: AdapterFile): string {
  return names
    .map((name) =>
      INHERITED.has(name)
        ? `${file.runtimeValue("ownValue")}(${object}, ${printString(name)})`
        : printMember(object, name),
    )
    .join(" ?? ");
}

/** The statement that writes a field from an expression for its JSON value. */
export function valueLine(field: DescField, value: string, key: string, file: AdapterFile): string {
  const { number } = field;
  const at = `${number}, ${value}, ${printString(key)}`;
  switch (field.fieldKind) {
    case "scalar":
      return `out.${SCALAR_KINDS[field.scalar]}(${at});`;
    case "enum":
      return `out.enum(${at}, ${enumTable(field.enum, file)});`;
    case "message":
      return messageLine(field, field.message, value, key, file);
    case "map":
      return `out.map(${at}, "${SCALAR_KINDS[field.mapKey]}", (value, key, out) => ${mapValue(field, file)});`;
    case "list":
      return listLine(field, value, key, file);
  }
}

function listLine(
  field: DescField & { fieldKind: "list" },
  value: string,
  key: string,
  file: AdapterFile,
): string {
  const comma = fieldRules(field).style === Style.COMMA;
  const isText = field.listKind === "scalar" && field.scalar === ScalarType.STRING;
  const split = comma ? file.runtimeValue(isText || field.listKind !== "scalar" ? "splitCommas" : "splitNumbers") : "";
  const items = comma ? `${split}(${value})` : value;
  const at = `${field.number}, ${items}, ${printString(key)}`;
  if (field.listKind === "scalar") return `out.list(${at}, "${SCALAR_KINDS[field.scalar]}");`;
  if (field.listKind === "enum") return `out.enums(${at}, ${enumTable(field.enum, file)});`;
  return `out.messages(${at}, ${decoderOf(field.message, file)});`;
}

function mapValue(field: DescField & { fieldKind: "map" }, file: AdapterFile): string {
  if (field.mapKind === "scalar") return `out.${SCALAR_KINDS[field.scalar]}(2, value, key)`;
  if (field.mapKind === "enum") return `out.enum(2, value, key, ${enumTable(field.enum, file)})`;
  return messageLine({ ...field, number: 2 } as DescField, field.message, "value", "key", file, true).replace(
    /;$/,
    "",
  );
}

function messageLine(
  field: DescField,
  message: DescMessage,
  value: string,
  key: string,
  file: AdapterFile,
  keyIsVariable = false,
): string {
  const at = `${field.number}, ${value}, ${keyIsVariable ? key : printString(key)}`;
  if (message.typeName === "google.protobuf.Timestamp") {
    const none = noTime(field);
    return `out.time(${at}, ${timeRule(field)}${none === undefined ? "" : `, ${printString(none)}`});`;
  }
  if (message.typeName === "google.protobuf.Duration") return `out.duration(${at});`;
  if (message.typeName === "google.protobuf.FieldMask") return `out.fieldMask(${at});`;
  if (message.typeName === "google.protobuf.Value")
    return `out.wrapped(${at}, ${file.runtimeValue("decodeValue")});`;
  if (message.typeName === "google.protobuf.ListValue") {
    return `out.wrapped(${at}, ${file.runtimeValue("decodeListValue")});`;
  }
  if (isWrapper(message)) return `out.wrapper(${at}, "${SCALAR_KINDS[wrapped(message)]}");`;
  if (fieldRules(field).unwrap) return unwrapLine(message, at, file);
  return `out.message(${at}, ${decoderOf(message, file)});`;
}

function wrapped(message: DescMessage): ScalarType {
  const [value] = message.fields;
  if (value?.fieldKind !== "scalar") throw new Error(`${message.typeName} is no wrapper`);
  return value.scalar;
}

function unwrapLine(message: DescMessage, at: string, file: AdapterFile): string {
  const [items] = message.fields;
  if (items === undefined) throw new Error(`${message.typeName} has no field to unwrap`);
  return `out.wrapped(${at}, (value, out) => ${valueLine(items, "value", "", file).replace(/;$/, "")});`;
}
