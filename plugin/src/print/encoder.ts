import { type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import { BIG_INTEGERS } from "../descriptors/big-integers.ts";
import { localName } from "../descriptors/names.ts";
import { isCollection, isScalarMessage, isWrapper, valueMessageOf } from "../descriptors/well-known.ts";
import { siblingSubject } from "../model/masks.ts";
import type { ConditionModel, JsonStyle } from "../model/rules.ts";
import {
  discriminatorJson,
  discriminatorValues,
  isFlattened,
  type TypeModels,
  tupleFields,
  unwrappedOneof,
} from "../model/types.ts";
import { requestName } from "../model/wire-names.ts";
import { access, under } from "./accessor.ts";
import { type AdapterFile, styleSuffix } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { enumValue } from "./enum-table.ts";
import { typed } from "./erasable.ts";
import { isInherited, printInline, printMember, printString } from "./literal.ts";
import { printMaskArguments } from "./mask-table.ts";
import { bytesText, enumOf, isBytes, isUnboxed, textValue } from "./request-value.ts";
import { durationRule, timeArguments } from "./time-rule.ts";
import { memberTypes, typedMember } from "./union.ts";

const PLAIN_JSON: ReadonlySet<string> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
]);

/** Returns the function that writes a request message as JSON. Prints it into the file that uses it. */
function encoderOf(desc: DescMessage, style: JsonStyle, file: AdapterFile): string {
  const suffix = styleSuffix(style, file.style ?? style);
  return file.part(desc, `encode${localName(desc)}${suffix}`, (name) =>
    printEncoder(desc, name, style, file),
  );
}

function printEncoder(desc: DescMessage, name: string, style: JsonStyle, file: AdapterFile): string[] {
  const union = unwrappedOneof(desc, file.types);
  if (union !== undefined) return printUnionEncoder(union, name, style, file);
  if (file.types.tuple(desc)) return printTupleEncoder(desc, name, style, file);
  // the values of other fields must be in the object before a oneof compares its discriminator with them
  const isContested = desc.oneofs.some((oneof) => rivalOf(oneof, style, file.types));
  const members = isContested
    ? desc.members.toSorted((a, b) => writtenAt(a, file.types) - writtenAt(b, file.types))
    : desc.members;
  const lines = members.flatMap((member) =>
    member.kind === "oneof" ? oneofLines(member, style, file) : jsonLines(member, style, file),
  );
  if (lines.length === 0) {
    const signature = `${name}(_message${typed(file.messageType(desc))})${typed(file.runtimeType("JsonRecord"))}`;
    return [
      ...docComment(`Writes ${desc.typeName} as JSON.`),
      `function ${signature} {`,
      "  return {};",
      "}",
    ];
  }
  return [
    ...docComment(`Writes ${desc.typeName} as JSON.`),
    `function ${name}(message${typed(file.messageType(desc))})${typed(file.runtimeType("JsonRecord"))} {`,
    `  const json${typed(file.runtimeType("JsonRecord"))} = {};`,
    ...lines.map((line) => `  ${line}`),
    "  return json;",
    "}",
  ];
}

/** Returns the turn of a member of a message: fields, then oneofs, then unknown keys, which yield to both. */
function writtenAt(member: DescField | DescOneof, types: TypeModels): number {
  if (member.kind === "oneof") return 1;
  return types.field(member).unknown ? 2 : 0;
}

/** Prints the function that writes the member of a oneof in place of its message. */
function printUnionEncoder(oneof: DescOneof, name: string, style: JsonStyle, file: AdapterFile): string[] {
  const desc = oneof.parent;
  const member = `message.${oneof.localName}`;
  const cases = oneof.fields.flatMap((field) => {
    const integers = memberTypes(field, file.types).includes("number") ? "numbers" : "strings";
    // the JSON type selects the member, so a number stays a number in any style
    const own: JsonStyle = field.fieldKind === "scalar" ? { ...style, integers } : style;
    const json = jsonValue(field, `${member}.value`, own, file);
    return [
      `    case ${printString(field.localName)}:`,
      `      return ${typedMember(field, json, `${member}.value`, file)};`,
    ];
  });
  return [
    ...docComment(`Writes ${desc.typeName} as JSON.`),
    `function ${name}(message${typed(file.messageType(desc))})${typed(file.runtimeType("JsonValue"))} {`,
    `  switch (${member}.case) {`,
    ...cases,
    "  }",
    `  throw ${file.runtimeValue("noMember")}(${printString(oneof.name)}, message);`,
    "}",
  ];
}

/** Prints the function that writes the fields of a message as an array. */
function printTupleEncoder(desc: DescMessage, name: string, style: JsonStyle, file: AdapterFile): string[] {
  const { items, rest } = tupleFields(desc, file.types);
  const values = items.map((field) => tupleItem(field, style, file));
  const isRequired = (field: DescField) => style.required === "sent" && file.types.required(field);
  const collections = items.flatMap((field, index) =>
    isCollection(field) && !isRequired(field) ? [index] : [],
  );
  const end = collections.length === 0 ? "" : `, ${printInline(collections)}`;
  const further = rest && `...${itemsValue(rest, `message.${rest.localName}`, style, file)}`;
  return [
    ...docComment(`Writes ${desc.typeName} as JSON.`),
    `function ${name}(message${typed(file.messageType(desc))})${typed(file.runtimeType("JsonValue"))} {`,
    `  return ${file.runtimeValue("tupleJson")}([`,
    ...[...values, ...(further === undefined ? [] : [further])].map((value) => `    ${value},`),
    `  ]${end});`,
    "}",
  ];
}

/**
 * Returns an item of a tuple as an expression. `undefined` stands for an unset field, and null for an unset
 * field that is required.
 */
function tupleItem(field: DescField, style: JsonStyle, file: AdapterFile): string {
  const isRequired = style.required === "sent" && file.types.required(field);
  // the zero of an enum may have no meaning on the wire
  const { expression, isSet } = access([field], "message", isRequired || field.fieldKind !== "enum");
  const json = jsonValue(field, expression, style, file, true);
  const isAsSet = isSet === "" || (json === expression && isSet === `${expression} !== undefined`);
  if (isAsSet && !(isRequired && isSet !== "")) return json;
  return `${isSet} ? ${json} : ${isRequired ? "null" : "undefined"}`;
}

/** Returns the lines that add one field to the object `json`. */
export function jsonLines(field: DescField, style: JsonStyle, file: AdapterFile): string[] {
  // a part of a multipart body is outside of the JSON
  const { place, unknown } = file.types.field(field);
  if (place === "part") return [];
  const isRequired = style.required === "sent" && file.types.required(field);
  const { expression, isSet } = access([field], "message", isRequired);
  if (unknown) {
    const add = file.runtimeValue("addUnknown");
    if (field.fieldKind === "map") {
      return [`${add}(json, ${file.runtimeValue("rawEntries")}(${expression}));`];
    }
    return [under(isSet, `${add}(json, ${expression});`)];
  }
  const value = jsonValue(field, expression, style, file);
  return [under(isSet, assignment(requestName(field, style, file.types), value, file))];
}

/** Returns the statement that sets a key of the object `json`. */
function assignment(key: string, value: string, file: AdapterFile): string {
  if (isInherited(key)) return `${file.runtimeValue("setOwn")}(json, ${printString(key)}, ${value});`;
  return `${printMember("json", key)} = ${value};`;
}

/** Returns the lines that add a oneof: with its discriminator, or member by member. */
export function oneofLines(oneof: DescOneof, style: JsonStyle, file: AdapterFile): string[] {
  const cases = oneof.fields.flatMap((field) => [
    `  case ${printString(field.localName)}:`,
    ...memberLines(field, oneof, style, file).map((line) => `    ${line}`),
    "    break;",
  ]);
  return [`switch (message.${oneof.localName}.case) {`, ...cases, "}"];
}

function memberLines(field: DescField, oneof: DescOneof, style: JsonStyle, file: AdapterFile): string[] {
  const { discriminator, layout, payload, fallback } = file.types.oneof(oneof);
  const isShared = field.fieldKind === "message" && isFlattened(oneof, file.types);
  const member = `message.${oneof.localName}.value`;
  const value = jsonValue(field, member, style, file);
  const own = assignment(requestName(field, style, file.types), value, file);
  const lines = discriminatorLines(field, oneof, style, file);
  if (layout === "beside") return [...lines, assignment(payload, value, file)];
  if (!isShared) return [...lines, own];
  const named = printString(discriminator);
  if (discriminator !== "" && field.name === fallback) {
    const others = knownValues(field, oneof, file);
    return [...lines, `${file.runtimeValue("setFallback")}(json, ${named}, ${others}, ${value}, ${member});`];
  }
  if (!isNamed(field, file.types)) return [`${file.runtimeValue("setAll")}(json, ${value}, ${member});`];
  const [wire] = discriminatorJson(field, file.types);
  const set = `${file.runtimeValue("setMember")}(json, ${named}, ${wire}, ${value}, ${member});`;
  return [...(rivalOf(oneof, style, file.types) === undefined ? [] : lines), set];
}

/**
 * Returns the lines that set the discriminator of a member. If another field writes the same key, its value
 * must select the member.
 */
function discriminatorLines(
  field: DescField,
  oneof: DescOneof,
  style: JsonStyle,
  file: AdapterFile,
): string[] {
  const { discriminator, fallback } = file.types.oneof(oneof);
  const rival = rivalOf(oneof, style, file.types);
  const named = printString(discriminator);
  const { expression = "" } = rival === undefined ? {} : access([rival], "message");
  if (field.name === fallback) {
    if (rival === undefined) return [];
    const own = `json[${named}]`;
    return [
      `${file.runtimeValue("checkFallback")}(${named}, ${knownValues(field, oneof, file)}, ${own}, ${expression});`,
    ];
  }
  if (!isNamed(field, file.types)) return [];
  if (rival === undefined) return [assignment(discriminator, discriminatorJson(field, file.types)[0], file)];
  const values = discriminatorValues(field, file.types).map(printString).join(", ");
  const [wire] = discriminatorJson(field, file.types);
  return [`${file.runtimeValue("setDiscriminator")}(json, ${named}, ${wire}, [${values}], ${expression});`];
}

/** Returns the field outside of a oneof that writes the key of its discriminator. */
function rivalOf(oneof: DescOneof, style: JsonStyle, types: TypeModels): DescField | undefined {
  const { discriminator } = types.oneof(oneof);
  if (discriminator === "") return undefined;
  return oneof.parent.fields.find(
    (field) =>
      field.oneof === undefined &&
      !types.field(field).unknown &&
      requestName(field, style, types) === discriminator,
  );
}

/** Reports whether a value of the discriminator selects a member. */
function isNamed(field: DescField, types: TypeModels): boolean {
  const { conditions } = types.field(field);
  const { discriminator } = types.oneof(field.oneof as DescOneof);
  if (discriminator === "") return false;
  const tests = ({ key, values }: ConditionModel) =>
    values !== undefined && (key === "" || key === discriminator);
  return conditions.length === 0 || conditions.some(tests);
}

/** Returns the discriminator values of all members but the fallback. */
function knownValues(fallback: DescField, { fields }: DescOneof, { types }: AdapterFile): string {
  return `[${fields
    .filter((field) => field !== fallback)
    .flatMap((field) => discriminatorJson(field, types))
    .join(", ")}]`;
}

/**
 * Returns the value of a field as an expression for JSON.
 *
 * @param isAlways whether an empty list is also written
 */
export function jsonValue(
  field: DescField,
  value: string,
  style: JsonStyle,
  file: AdapterFile,
  isAlways = false,
): string {
  const json = plainJsonValue(field, value, style, file, isAlways);
  return file.types.field(field).jsonText ? `${file.runtimeValue("stringifyJson")}(${json})` : json;
}

function plainJsonValue(
  field: DescField,
  value: string,
  style: JsonStyle,
  file: AdapterFile,
  isAlways: boolean,
): string {
  switch (field.fieldKind) {
    case "list":
      if (file.types.field(field).style === "comma") return commaValue(field, value, file, isAlways);
      return itemsValue(field, value, style, file);
    case "map": {
      const item = itemValue(field, "value", style, file);
      if (item === "value" && field.mapKey === ScalarType.STRING) return `{ ...${value} }`;
      if (isTaken(field)) return `${file.runtimeValue("entriesJson")}(${value}, (value) => ${item})`;
      return `Object.fromEntries(Object.entries(${value}).map(([key, value]) => [key, ${item}]))`;
    }
    default:
      return itemValue(field, value, style, file);
  }
}

/** Reports whether the values of a map are messages with generated encoders. */
function isTaken(field: DescField): boolean {
  const message = valueMessageOf(field);
  return message !== undefined && !isScalarMessage(message);
}

/** Returns a list as an expression for JSON, item by item. */
export function itemsValue(field: DescField, value: string, style: JsonStyle, file: AdapterFile): string {
  const item = itemValue(field, "item", style, file);
  if (item === "item") return `[...${value}]`;
  // a call of a function with one parameter needs no arrow function
  const [, convert] = /^(String|encode[\w$]+)\(item\)$/.exec(item) ?? [];
  if (convert !== undefined) return `${value}.map(${convert})`;
  return `${value}.map((item) => ${item})`;
}

function commaValue(field: DescField, value: string, file: AdapterFile, isAlways: boolean): string {
  const item = textValue(field, "item", file);
  const items = item === "item" ? value : `${value}.map((item) => ${item})`;
  return `${file.runtimeValue("joinCommas")}(${items}, ${printString(field.name)}${isAlways ? ", true" : ""})`;
}

function itemValue(field: DescField, value: string, style: JsonStyle, file: AdapterFile): string {
  const enumeration = enumOf(field);
  if (enumeration !== undefined) {
    if (enumeration.typeName === "google.protobuf.NullValue") return "null";
    return enumValue(enumeration, value, "json", file);
  }
  const message = valueMessageOf(field);
  if (message !== undefined) return messageValue(field, message, value, style, file);
  if (isBytes(field)) return bytesText(field, value, file);
  return scalarValue(field, "scalar" in field ? field.scalar : undefined, value, style, file);
}

function scalarValue(
  field: DescField,
  scalar: ScalarType | undefined,
  value: string,
  style: JsonStyle,
  file: AdapterFile,
): string {
  if (scalar === undefined) return value;
  if (BIG_INTEGERS.has(scalar)) {
    const bare = file.types.field(field).number ?? style.integers === "numbers";
    return bare ? value : `String(${value})`;
  }
  const isDouble = scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT;
  return isDouble ? `${file.runtimeValue("doubleJson")}(${value})` : value;
}

function messageValue(
  field: DescField,
  message: DescMessage,
  value: string,
  style: JsonStyle,
  file: AdapterFile,
): string {
  if (message.typeName === "google.protobuf.Timestamp") {
    return `${file.runtimeValue("timeJson")}(${value}, ${timeArguments(file.types.field(field).time)})`;
  }
  if (message.typeName === "google.protobuf.Any") {
    return `${file.runtimeValue("anyJson")}(${value}, ${file.anyTypes()})`;
  }
  if (PLAIN_JSON.has(message.typeName)) return plainValue(message, value, file);
  if (isWrapper(message)) return wrapperValue(field, message, value, style, file);
  const span =
    message.typeName === "google.protobuf.Duration" ? durationRule(file.types.field(field).time) : undefined;
  if (span !== undefined) return `${file.runtimeValue("spanJson")}(${value}, ${span})`;
  if (message.typeName === "google.protobuf.Duration") return textValue(field, value, file);
  if (message.typeName === "google.protobuf.FieldMask") {
    const more = printMaskArguments(siblingSubject(field, file.types), style, file);
    return textValue(field, value, file, false, more);
  }
  // parentheses, since braces would begin the body of an arrow function
  if (message.typeName === "google.protobuf.Empty") return "({})";
  if (file.types.field(field).unwrap) return unwrappedValue(message, value, style, file);
  return `${encoderOf(message, style, file)}(${value})`;
}

/**
 * Returns the JSON of dynamic values. protobuf-es represents a Struct as plain JSON, but a Value or ListValue
 * as a message.
 */
function plainValue(message: DescMessage, value: string, file: AdapterFile): string {
  const print =
    { Struct: "plainJson", Value: "valueJson", ListValue: "listJson" }[message.name] ?? "plainJson";
  return `${file.runtimeValue(print)}(${value})`;
}

function wrapperValue(
  field: DescField,
  message: DescMessage,
  value: string,
  style: JsonStyle,
  file: AdapterFile,
): string {
  const inner = isUnboxed(field) ? value : `${value}.value`;
  const [wrapped] = message.fields;
  if (wrapped?.fieldKind !== "scalar") throw new Error(`${message.typeName} is no wrapper`);
  if (wrapped.scalar === ScalarType.BYTES) return bytesText(field, inner, file);
  return scalarValue(field, wrapped.scalar, inner, style, file);
}

function unwrappedValue(message: DescMessage, value: string, style: JsonStyle, file: AdapterFile): string {
  const [items] = message.fields;
  if (items === undefined) throw new Error(`${message.typeName} has no field to unwrap`);
  const inner = `${value}.${items.localName}`;
  const json = jsonValue(items, inner, style, file, true);
  if (!isCollection(items)) return `${inner} === undefined ? null : ${json}`;
  // braces would begin the body of an arrow function
  return json.startsWith("{") ? `(${json})` : json;
}
