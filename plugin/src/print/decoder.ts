import { type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { commentOf } from "../descriptors/comments.ts";
import { localName } from "../descriptors/names.ts";
import { holdsNull, isScalarMessage, isWrapper } from "../descriptors/well-known.ts";
import { siblingSubject } from "../model/masks.ts";
import type { ConditionModel, JsonStyle } from "../model/rules.ts";
import { discriminatorValues, type FieldModel, type TypeModels, unwrappedOneof } from "../model/types.ts";
import { responseNames, spellings } from "../model/wire-names.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { docComment, withProvenance } from "./doc-comment.ts";
import { constantName, enumTable } from "./enum-table.ts";
import { typed } from "./erasable.ts";
import { isFlattened, knownKeys, memberPaths, onlyKey, ownKeys, pathTo } from "./known-keys.ts";
import { isInherited, printInline, printMember, printString } from "./literal.ts";
import { printMaskArguments } from "./mask-table.ts";
import { asksForMore, comesFromPaths, keepsSpelling, SCALAR_KINDS, scalarKind } from "./read-rules.ts";
import { scanLines } from "./scan-table.ts";
import { durationRule, noTime, timeRule } from "./time-rule.ts";
import { fillList } from "./wrap.ts";

/** Decoders of messages that JSON writes in a way of their own, in the runtime. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  "google.protobuf.Struct": "decodeStruct",
  "google.protobuf.Empty": "decodeEmpty",
};

/** The function that decodes a message; printed where it is first asked for. */
export function decoderOf(desc: DescMessage, file: AdapterFile): string {
  const wellKnown = WELL_KNOWN[desc.typeName];
  if (wellKnown !== undefined) return file.runtimeValue(wellKnown);
  if (desc.typeName === "google.protobuf.Any") return file.anyDecoder();
  return file.sharedPart(desc, `decode${localName(desc)}`, (name, home) => printDecoder(desc, name, home));
}

function printDecoder(desc: DescMessage, name: string, file: AdapterFile): string[] {
  const oneof = unwrappedOneof(desc, file.types);
  if (oneof !== undefined) return printValueDecoder(desc, oneof, name, file);
  const json = file.runtimeType("JsonObject");
  const out = file.runtimeType("ProtoWriter");
  // named before the fields of other messages are, so that both names of a message have the same suffix
  const fields = fieldsOf(desc, file);
  const comment = docComment(withProvenance(summary(desc), `message ${desc.typeName}`));
  file.declare(name, [...comment, `export declare function ${name}(json: ${json}, out: ${out}): void;`]);
  return [
    ...comment,
    `export function ${name}(json${typed(json)}, out${typed(out)})${typed("void")} {`,
    `  out.fields(json, ${fields});`,
    `  ${unknownLine(desc, file)}`,
    "}",
    ...scanLines(desc, name, { file, decoderOf: (each) => decoderOf(each, file) }),
  ];
}

/** The decoder of a message that a value of one of several JSON types stands for. */
function printValueDecoder(desc: DescMessage, oneof: DescOneof, name: string, file: AdapterFile): string[] {
  const json = file.runtimeType("JsonValue");
  const out = file.runtimeType("ProtoWriter");
  const { fallback } = file.types.oneof(oneof);
  const line = (field: DescField) =>
    leniently(file.types.field(field), valueLine(field, "value", "", file), "");
  const cases = oneof.fields
    .filter((field) => field.name !== fallback)
    .flatMap((field) => [
      ...file.types.field(field).conditions.map(({ type = "" }) => `    case ${printString(type)}:`),
      `      ${line(field)}`,
      "      break;",
    ]);
  const last = oneof.fields.find((field) => field.name === fallback);
  const otherwise =
    last === undefined
      ? `out.unknownMember("", ${printString(`a known ${oneof.name}`)}, value);`
      : line(last);
  const comment = docComment(withProvenance(summary(desc), `message ${desc.typeName}`));
  file.declare(name, [...comment, `export declare function ${name}(value: ${json}, out: ${out}): void;`]);
  return [
    ...comment,
    `export function ${name}(value${typed(json)}, out${typed(out)})${typed("void")} {`,
    `  switch (${file.runtimeValue("jsonTypeOf")}(value)) {`,
    ...cases,
    "    default:",
    `      ${otherwise}`,
    "  }",
    "}",
    ...scanLines(desc, name, { file, decoderOf: (each) => decoderOf(each, file) }),
  ];
}

/** The first paragraph of a message's comment. */
function summary(desc: DescMessage): string {
  const [first = ""] = commentOf(desc).split("\n\n");
  return first;
}

/** The constant with the fields of a message, each with the keys that it is read from; it stands before the decoder. */
function fieldsOf(desc: DescMessage, file: AdapterFile): string {
  const print = (name: string) => {
    const table = file.runtimeValue("FieldTable");
    const rows = fieldRows(desc, file);
    const head = `const ${name}${typed(table)} = new ${table}(() => [`;
    return rows.length === 0 ? [`${head}]);`] : [head, ...rows.map((line) => `  ${line}`), "]);"];
  };
  return file.part(desc, `${constantName(localName(desc))}_FIELDS`, print, decoderOf(desc, file));
}

/** The rows of the table of a message's fields, in the order in which these are written. */
function fieldRows(desc: DescMessage, file: AdapterFile): string[] {
  const rows = desc.members.flatMap((member) =>
    member.kind === "oneof" ? oneofRows(member, file) : fieldRow(member, file),
  );
  const read = new Set(
    desc.fields.flatMap((field) => (isRow(field, file) ? rowKeys(field, file.types) : [])),
  );
  const others = knownKeys(desc, file.types).filter((key) => !read.has(key));
  return others.length === 0 ? rows : [...rows, ...fillList("{ known: [", others.map(printString), "] },")];
}

/** The last line of a decoder: what happens to the keys that no field names. */
function unknownLine(desc: DescMessage, file: AdapterFile): string {
  const keys = fieldsOf(desc, file);
  const collector = desc.fields.find((field) => file.types.field(field).unknown);
  if (collector === undefined) return `out.unknownKeys(json, ${keys});`;
  if (collector.fieldKind === "map") return `out.unknown(${collector.number}, json, ${keys});`;
  return `out.unknownStruct(${collector.number}, json, ${keys}, ${file.runtimeValue("decodeStruct")});`;
}

/** Whether a oneof's member is chosen by what is in the object, and not by which key comes. */
function isChosen(oneof: DescOneof, { types }: AdapterFile): boolean {
  const { discriminator } = types.oneof(oneof);
  return (
    discriminator !== "" || oneof.fields.some((field) => types.field(field).conditions.some(asksForMore))
  );
}

/** Whether a field is read by a row of its own. */
function isRow({ oneof }: DescField, file: AdapterFile): boolean {
  return oneof === undefined || !isChosen(oneof, file);
}

/** The rows of a oneof: a function that chooses by a discriminator or by conditions, or a row for each member. */
function oneofRows(oneof: DescOneof, file: AdapterFile): string[] {
  const members = memberPaths(oneof, file.types);
  if (isChosen(oneof, file)) {
    const byConditions = oneof.fields.some((field) => file.types.field(field).conditions.some(asksForMore));
    const lines = byConditions ? conditionLines(oneof, file) : switchLines(oneof, file);
    const start = `${protoCamelCase(oneof.name)}Start`;
    const checked =
      members.length === 0
        ? lines
        : [
            `const ${start} = out.length;`,
            ...lines,
            `out.unchosen(${start}, json, ${membersOf(oneof, members, file)});`,
          ];
    return ["{", "  choose(json, out) {", ...checked.map((line) => `    ${line}`), "  },", "},"];
  }
  const rows = oneof.fields.flatMap((field) => fieldRow(field, file));
  if (members.length < 2) return rows;
  const inner = rows.map((line) => `    ${line}`);
  return ["{", `  onlyFirst: ${membersOf(oneof, members, file)},`, "  of: [", ...inner, "  ],", "},"];
}

/** The constant with the members of a oneof and the paths that they alone are read from. */
function membersOf(oneof: DescOneof, members: ReturnType<typeof memberPaths>, file: AdapterFile): string {
  const print = (name: string) => {
    const type = typed(file.runtimeType("OneofMembers"));
    const rows = members.map(
      ([field, ...paths]) => `[${[field.number, ...paths.map(printString)].join(", ")}]`,
    );
    return fillList(`const ${name}${type} = [`, rows, "];");
  };
  const ideal = `${constantName(localName(oneof.parent))}_${constantName(oneof.name)}`;
  return file.part(oneof, ideal, print, decoderOf(oneof.parent, file));
}

function switchLines(oneof: DescOneof, file: AdapterFile): string[] {
  const { discriminator, fallback } = file.types.oneof(oneof);
  const value = readKeys("json", spellings(discriminator), file);
  const values = oneof.fields.flatMap((field) => discriminatorValues(field, file.types));
  // numbers and booleans choose too, by their text
  const subject = values.every(isOnlyText)
    ? value
    : values.every((text) => !isBig(text))
      ? `${file.runtimeValue("wordOf")}(${value})`
      : `out.word(${value}, ${printString(discriminator)})`;
  const cases = oneof.fields
    .filter((field) => field.name !== fallback)
    .flatMap((field) => [
      ...discriminatorValues(field, file.types).map((text) => `  case ${printString(text)}:`),
      ...memberLines(field, file).map((line) => `    ${line}`),
      "    break;",
    ]);
  const otherwise = otherwiseLines(oneof, file).map((line) => `    ${line}`);
  return [
    `switch (${subject}) {`,
    ...cases,
    ...(otherwise.length > 0 ? ["  default:", ...otherwise] : []),
    "}",
  ];
}

function conditionLines(oneof: DescOneof, file: AdapterFile): string[] {
  const { fallback } = file.types.oneof(oneof);
  const members = oneof.fields.filter((field) => field.name !== fallback);
  const chain = members.flatMap((field, index) => {
    const condition = `${index === 0 ? "if" : "} else if"} (${conditionExpression(field, oneof, file)}) {`;
    return [condition, ...memberLines(field, file).map((line) => `  ${line}`)];
  });
  const otherwise = otherwiseLines(oneof, file).map((line) => `  ${line}`);
  return [...chain, ...(otherwise.length > 0 ? ["} else {", ...otherwise] : []), "}"];
}

function conditionExpression(field: DescField, oneof: DescOneof, file: AdapterFile): string {
  const { discriminator } = file.types.oneof(oneof);
  const own = file.types.field(field).conditions;
  const conditions: readonly ConditionModel[] = own.length > 0 ? own : [{ key: "", values: [field.name] }];
  return conditions
    .map((condition) => {
      const keys = spellings(condition.key || pathTo(discriminator));
      const plain = comparison(condition, keys);
      if (plain !== undefined) return plain;
      // an integer that JSON.parse rounds is compared once it is there as it came
      const holds = condition.values?.some(isBig) === true ? "out.holds" : file.runtimeValue("holds");
      const calls = keys.map((key) => `${holds}(json, ${printInline({ ...condition, key })})`);
      return condition.present === false && calls.length > 1 ? `(${calls.join(" && ")})` : calls.join(" || ");
    })
    .join(" || ");
}

/** The plain comparison that a condition is, where it asks one thing of one key, whatever its spelling. */
function comparison({ values, present, type }: ConditionModel, keys: readonly string[]): string | undefined {
  const read = keys.map((key) => printMember("json", key)).join(" ?? ");
  const value = keys.length > 1 ? `(${read})` : read;
  if (!keys.every(isPlainKey) || [values, present, type].filter((each) => each !== undefined).length !== 1) {
    return undefined;
  }
  if (present !== undefined) return `${value} ${present ? "!=" : "=="} null`;
  if (type === "array") return `Array.isArray(${read})`;
  if (type !== undefined) {
    return type === "string" || type === "boolean" ? `typeof ${value} === "${type}"` : undefined;
  }
  if (values?.every(isOnlyText) !== true) return undefined;
  return values.map((text) => `${value} === ${printString(text)}`).join(" || ");
}

/** Whether a path is one key, which objects do not inherit. */
function isPlainKey(path: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(path) && !isInherited(path);
}

/** Whether a path is one key. */
function isOneKey(path: string): boolean {
  return path !== "" && !/[.']/.test(path);
}

/** Whether a text is an integer that a double may not hold. */
function isBig(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}

/** Whether only a string has this text, no number or boolean. */
function isOnlyText(text: string): boolean {
  return Number.isNaN(Number(text)) && text !== "true" && text !== "false";
}

/** What happens where no member is chosen: the fallback takes the object, or it is reported. */
function otherwiseLines(oneof: DescOneof, file: AdapterFile): string[] {
  const { discriminator, fallback } = file.types.oneof(oneof);
  const member = oneof.fields.find((field) => field.name === fallback);
  if (member !== undefined) return memberLines(member, file);
  if (keepsSpelling(oneof, discriminator, file.types)) return [];
  const key = discriminator === "" ? onlyKey(oneof, file.types) : discriminator;
  if (key === undefined) return [];
  const value = readKeys("json", spellings(key), file);
  return [`out.unknownMember(${printString(key)}, ${printString(`a known ${oneof.name}`)}, ${value});`];
}

function memberLines(field: DescField, file: AdapterFile): string[] {
  const { oneof } = field;
  if (oneof === undefined) throw new Error(`${field} is in no oneof`);
  const { layout, payload } = file.types.oneof(oneof);
  if (layout === "beside") {
    return [valueLine(field, readKeys("json", spellings(payload), file), payload, file)];
  }
  if (field.fieldKind !== "message" || !isFlattened(oneof, file.types)) {
    return fieldLines(field, "json", file);
  }
  const decoder = decoderOf(field.message, file);
  return [`out.flattened(${field.number}, json, ${decoder}, ${fieldsOf(oneof.parent, file)});`];
}

/** The row of a field: `[(value, out) => out.string(3, value, "blog_name"), "blog_name", "blogName"],`. */
function fieldRow(field: DescField, file: AdapterFile): string[] {
  const { unknown, sources } = file.types.field(field);
  if (unknown || (sources.length > 0 && !comesFromPaths(file.types.field(field)))) return [];
  const keys = rowKeys(field, file.types);
  const isPlain = pathsOf(field, file.types).every(isOneKey);
  const [line = ""] = isPlain ? [fieldLine(field, "value", file)] : fieldLines(field, "json", file);
  const write = `${isPlain ? "(value, out)" : "(_, out, json)"} => ${line.replace(/;$/, "")}`;
  const row = (own: readonly string[]) => `[${[write, ...own.map(printString)].join(", ")}],`;
  // null under one key would stand for what another one may have
  return holdsNull(field) ? keys.map((key) => row([key])) : [row(keys)];
}

/** The keys of an object that the row of a field is for. */
function rowKeys(field: DescField, types: TypeModels): readonly string[] {
  const { unknown, sources } = types.field(field);
  if (unknown || (sources.length > 0 && !comesFromPaths(types.field(field)))) return [];
  return [...new Set(ownKeys(field, types))];
}

/** The lines that decode one field from an object's keys. */
function fieldLines(field: DescField, object: string, file: AdapterFile): string[] {
  const model = file.types.field(field);
  if (model.unknown) return [];
  if (model.sources.length > 0) return comesFromPaths(model) ? [pathsLine(field, object, file)] : [];
  return [fieldLine(field, readKeys(object, responseNames(field, file.types), file), file)];
}

/** The statement that decodes one field from an expression for its value. */
function fieldLine(field: DescField, value: string, file: AdapterFile): string {
  const model = file.types.field(field);
  const paths = pathsOf(field, file.types);
  const key = paths.length > 0 ? paths.join(" or ") : responseNames(field, file.types)[0];
  const line = valueLine(field, value, key, file);
  return leniently(model, paths.length > 0 ? line : collecting(field, line, file.types), key);
}

/** The paths that a field is read from; none where it is read from keys of its own. */
function pathsOf(field: DescField, types: TypeModels): readonly string[] {
  return types.field(field).sources.flatMap((source) => (source.kind === "path" ? [source.path] : []));
}

/** A statement for an enum of a message that collects unknown keys: it collects what the enum cannot hold, too. */
function collecting(field: DescField, line: string, types: TypeModels): string {
  if (!field.parent.fields.some((other) => types.field(other).unknown)) return line;
  if (field.fieldKind === "enum") return line.replace(/^out\.enum\(/, "out.collectedEnum(");
  const isList = field.fieldKind === "list" && field.listKind === "enum" && !isOpen(field, types);
  return isList ? line.replace(/\);$/, ', "collected");') : line;
}

/** A statement for a field that is known to come with other JSON types too, so that converting it is no drift. */
function leniently({ coerce }: FieldModel, line: string, key: string): string {
  return coerce ? line.replace(/^out\./, `out.loosely(${printString(key)}).`) : line;
}

function pathsLine(field: DescField, object: string, file: AdapterFile): string {
  const values = pathsOf(field, file.types).map((path) =>
    isPlainKey(path)
      ? printMember(object, path)
      : `${file.runtimeValue("valueAt")}(${object}, ${printString(path)})`,
  );
  return fieldLine(field, values.join(" ?? "), file);
}

function readKeys(object: string, names: readonly string[], file: AdapterFile): string {
  return names
    .map((name) =>
      isInherited(name)
        ? `${file.runtimeValue("ownValue")}(${object}, ${printString(name)})`
        : printMember(object, name),
    )
    .join(" ?? ");
}

/** Names of responses are looked for as declared and in lowerCamel; masks have the latter. */
const RESPONSE_STYLE: JsonStyle = { names: "lowerCamel", integers: "strings", required: "sent" };

/** The statement that writes a field from an expression for its JSON value. */
export function valueLine(field: DescField, value: string, key: string, file: AdapterFile): string {
  const { number } = field;
  const at = `${number}, ${value}, ${printString(key)}`;
  switch (field.fieldKind) {
    case "scalar":
      return `out.${scalarKind(field, field.scalar, file.types)}(${at});`;
    case "enum":
      return `out.${enumKind(field, file)}(${at}, ${enumTable(field.enum, file)});`;
    case "message":
      return messageLine(field, field.message, value, key, file);
    case "map":
      return `out.map(${at}, "${SCALAR_KINDS[field.mapKey]}", (value, key, out) => ${mapValue(field, file)});`;
    case "list":
      return listLine(field, value, key, file);
  }
}

function enumKind(field: DescField, file: AdapterFile): string {
  if (holdsNull(field)) return isOneOfSeveral(field, file) ? "nullMember" : "nullEnum";
  return isOpen(field, file.types) ? "openEnum" : "enum";
}

/** Whether the keys that come say which member of a oneof there is: then null is one only where nothing else is. */
function isOneOfSeveral({ oneof }: DescField, file: AdapterFile): boolean {
  return oneof !== undefined && !isChosen(oneof, file) && memberPaths(oneof, file.types).length >= 2;
}

/** Whether another field keeps what the enum does not know: one that reads the same key, and is no enum. */
function isOpen(field: DescField, types: TypeModels): boolean {
  const [key] = responseNames(field, types);
  return field.parent.fields.some(
    (other) =>
      other !== field &&
      (other.fieldKind === "scalar" || (other.fieldKind === "list" && other.listKind === "scalar")) &&
      responseNames(other, types)[0] === key,
  );
}

function listLine(
  field: DescField & { fieldKind: "list" },
  value: string,
  key: string,
  file: AdapterFile,
): string {
  const comma = file.types.field(field).style === "comma";
  const isText = field.listKind === "scalar" && field.scalar === ScalarType.STRING;
  const split = comma
    ? file.runtimeValue(isText || field.listKind !== "scalar" ? "splitCommas" : "splitNumbers")
    : "";
  const items = comma ? `${split}(${value})` : value;
  const at = `${field.number}, ${items}, ${printString(key)}`;
  if (field.listKind === "scalar") {
    return `out.list(${at}, "${scalarKind(field, field.scalar, file.types)}");`;
  }
  if (field.listKind === "enum") {
    const kept = isOpen(field, file.types) ? ', "elsewhere"' : "";
    return `out.enums(${at}, ${enumTable(field.enum, file)}${kept});`;
  }
  if (!isPlainMessage(field, file.types)) {
    const item = messageLine(field, field.message, "item", "", file).replace(/;$/, "");
    return `out.each(${items}, ${printString(key)}, (item, out) => ${item});`;
  }
  return `out.messages(${at}, ${decoderOf(field.message, file)});`;
}

/** Whether the items of a list are objects with a decoder of their own, and nothing special on the wire. */
function isPlainMessage(
  field: DescField & { fieldKind: "list"; listKind: "message" },
  types: TypeModels,
): boolean {
  const { message } = field;
  if (types.field(field).unwrap || field.delimitedEncoding) return false;
  if (unwrappedOneof(message, types) !== undefined) return false;
  return (
    !isScalarMessage(message) &&
    message.typeName !== "google.protobuf.Value" &&
    message.typeName !== "google.protobuf.ListValue"
  );
}

function mapValue(field: DescField & { fieldKind: "map" }, file: AdapterFile): string {
  if (field.mapKind === "scalar") return `out.${scalarKind(field, field.scalar, file.types)}(2, value, key)`;
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
    const { time } = file.types.field(field);
    const none = noTime(time);
    return `out.time(${at}, ${timeRule(time)}${none === undefined ? "" : `, ${printString(none)}`});`;
  }
  if (message.typeName === "google.protobuf.Duration") {
    const rule = durationRule(file.types.field(field).time);
    return `out.duration(${at}${rule === undefined ? "" : `, ${rule}`});`;
  }
  if (message.typeName === "google.protobuf.FieldMask") {
    const table = printMaskArguments(siblingSubject(field, file.types), RESPONSE_STYLE, file);
    return `out.fieldMask(${at}${table});`;
  }
  if (message.typeName === "google.protobuf.Value") {
    return `out.nullable(${at}, ${file.runtimeValue("decodeValue")});`;
  }
  if (message.typeName === "google.protobuf.ListValue") {
    return `out.wrapped(${at}, ${file.runtimeValue("decodeListValue")});`;
  }
  if (isWrapper(message)) return `out.wrapper(${at}, "${scalarKind(field, wrapped(message), file.types)}");`;
  if (file.types.field(field).unwrap) return unwrapLine(message, at, file);
  if (unwrappedOneof(message, file.types) !== undefined) {
    return `out.wrapped(${at}, ${decoderOf(message, file)});`;
  }
  const method = "delimitedEncoding" in field && field.delimitedEncoding === true ? "group" : "message";
  return `out.${method}(${at}, ${decoderOf(message, file)});`;
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
