import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { valueMessageOf } from "../descriptors/well-known.ts";
import { isMask } from "../model/masks.ts";
import type { BodyModel, FieldPath } from "../model/model.ts";
import type { Piece, TypeModels } from "../model/types.ts";
import { dottedName, requestName } from "../model/wire-names.ts";
import { access, under } from "./accessor.ts";
import { itemsValue, jsonLines, jsonValue, oneofLines } from "./encoder.ts";
import { typed } from "./erasable.ts";
import { printInline, printString } from "./literal.ts";
import { maskTable } from "./mask-table.ts";
import { type Context, formLines } from "./parameters.ts";

/** Returns the lines that set the body of a request. */
export function bodyLines(body: BodyModel, context: Context): string[] {
  switch (body.kind) {
    case "none":
      return [];
    case "field":
      return fieldLines(body, context);
    case "lines":
      return linesLines(body.field, context);
    case "http-body":
      return [httpBodyLine(body.field)];
    case "form":
      return [...constants("form", context, "in body"), ...formLines("form", body, context)];
    case "multipart":
      return multipartLines(body, context);
    case "fields":
      return jsonBodyLines(body, context);
  }
}

function jsonBodyLines(
  { fields, omitted }: Extract<BodyModel, { kind: "fields" }>,
  context: Context,
): string[] {
  const isEmpty =
    memberLines(fields, context).length + unsetLines(context, fields).length + omitted.length === 0 &&
    context.rules.parameters.length === 0;
  if (isEmpty) return ["request.json({});"];
  return [
    ...objectLines(fields, context),
    ...unsetLines(context, fields),
    ...omitLines(omitted, context),
    "request.json(json);",
  ];
}

function fieldLines({ field, omitted }: Extract<BodyModel, { kind: "field" }>, context: Context): string[] {
  const { rules, file } = context;
  // the request always has a body, because an empty list or map differs from an absent one
  const isAlways = field.fieldKind === "list" || field.fieldKind === "map";
  const { expression, isSet: isGiven } = access([field], "message", true);
  const isSet = isAlways ? "" : isGiven;
  const value = jsonValue(field, expression, rules.json, file, true);
  const unset = unsetLines(context);
  if (unset.length > 0) return maskedFieldLines({ value, isSet, unset, omitted }, context);
  if (omitted.length === 0) return [under(isSet, `request.json(${value});`)];
  const lines = [`const json = ${value};`, ...omitLines(omitted, context), "request.json(json);"];
  return [`if (${isSet}) {`, ...lines.map((line) => `  ${line}`), "}"];
}

/**
 * Returns the lines for a body that is sent if its field is set, or if the request contains a mask that
 * clears fields.
 */
function maskedFieldLines(
  body: {
    readonly value: string;
    readonly isSet: string;
    readonly unset: readonly string[];
    readonly omitted: readonly FieldPath[];
  },
  context: Context,
): string[] {
  const { value, isSet, unset, omitted } = body;
  const masks = clearingMasks(context).map((mask) => access([mask]).isSet);
  return [
    `if (${[inOr(isSet), ...masks].join(" || ")}) {`,
    `  const json${typed(context.file.runtimeType("JsonRecord"))} = ${isSet} ? ${value} : {};`,
    ...[...unset, ...omitLines(omitted, context), "request.json(json);"].map((line) => `  ${line}`),
    "}",
  ];
}

/** Returns the masks of the request that clear fields. */
function clearingMasks({ input, file }: Context): DescField[] {
  return input.fields.filter((field) => isMask(field) && file.types.field(field).mask?.unset !== undefined);
}

/**
 * Returns the lines that add unset fields to the object `json` if a mask names these fields. The object
 * contains some fields of the request, or is the subject of a mask.
 */
function unsetLines(context: Context, fields?: readonly DescField[]): string[] {
  const { rules, file, input, maskSubject } = context;
  const isSent = (field: DescField) => file.types.field(field).place === undefined;
  return clearingMasks(context).flatMap((mask) => {
    const subject = maskSubject(mask);
    const { expression, isSet } = access([mask]);
    if (subject === undefined) return [];
    const key = subject.field && printString(requestName(subject.field, rules.json, file.types));
    const holder =
      key === undefined || fields === undefined ? "json" : `${file.runtimeValue("objectAt")}(json, ${key})`;
    const table = maskTable(subject.message, rules.json, file);
    const unset = printString(file.types.field(mask).mask?.unset ?? "null");
    const call = `${file.runtimeValue("sendUnset")}(${holder}, ${printString(mask.name)}, ${expression}, ${table}, ${unset});`;
    const isWhole = subject.field === undefined && fields !== undefined;
    // fields in the path, or without a place, are not in the body
    const others = isWhole ? input.fields.filter((field) => !fields.includes(field)) : [];
    return [
      under(isSet, call),
      ...omitLines(
        others.filter(isSent).map((field) => [field]),
        context,
      ),
    ];
  });
}

function linesLines(field: DescField, { rules, file }: Context): string[] {
  const { expression, isSet } = access([field]);
  return [`if (${isSet}) request.jsonLines(${itemsValue(field, expression, rules.json, file)});`];
}

/** Returns the lines that remove the path fields from the object `json`. */
function omitLines(paths: readonly FieldPath[], { rules, file }: Context): string[] {
  return paths.map(
    (path) => `${file.runtimeValue("omit")}(json, ${printString(dottedName(path, rules.json, file.types))});`,
  );
}

/**
 * A selection of constant parameters: all parameters, only the parameters that are always in the query, or
 * only the other parameters.
 */
export type ConstantChoice = "all" | "in query" | "in body";

/** Returns the lines that add the constant parameters of a method, except to JSON. */
export function constants(
  call: "query" | "form" | "part",
  { rules }: Context,
  choice: ConstantChoice,
): string[] {
  return rules.parameters
    .filter(({ inQuery }) => choice === "all" || inQuery === (choice === "in query"))
    .map(({ name, value }) => `request.${call}(${printString(name)}, ${printString(value)});`);
}

/** Reports whether the constant parameters are in the body. */
export function holdsConstants(body: BodyModel): boolean {
  return body.kind === "fields" || body.kind === "form" || body.kind === "multipart";
}

function httpBodyLine(field: DescField | undefined): string {
  const { expression, isSet } = field === undefined ? { expression: "message", isSet: "" } : access([field]);
  const type = `${expression}.contentType || "application/octet-stream"`;
  const line = `request.bytes(${type}, ${expression}.data);`;
  return isSet === "" ? line : `if (${isSet}) ${line}`;
}

/** Returns the lines that create an object `json` from some fields of the request. */
function objectLines(fields: readonly DescField[], context: Context): string[] {
  const { rules, file } = context;
  const inBody = rules.parameters.filter(({ inQuery }) => !inQuery);
  const constants = Object.fromEntries(inBody.map(({ name, json }) => [name, JSON.parse(json)]));
  return [
    `const json${typed(file.runtimeType("JsonRecord"))} = ${printInline(constants)};`,
    ...memberLines(fields, context),
  ];
}

/** Returns the lines that add fields to the object `json`. */
function memberLines(fields: readonly DescField[], { rules, file }: Context): string[] {
  const oneofs = new Set(fields.map((field) => field.oneof).filter((oneof) => oneof !== undefined));
  return [
    ...fields
      .filter((field) => field.oneof === undefined)
      .flatMap((field) => jsonLines(field, rules.json, file)),
    ...[...oneofs].flatMap((oneof) => oneofLines(oneof, rules.json, file)),
  ];
}

type Multipart = Extract<BodyModel, { kind: "multipart" }>;

function multipartLines(body: Multipart, context: Context): string[] {
  const { jsonPart, whenParts } = body;
  const object = jsonPart === undefined ? [] : objectLines(body.fields, context);
  const own = [...constants("part", context, "in body"), ...formLines("part", body, context)];
  const parts = [
    ...(jsonPart === undefined ? own : [`request.partJson(${printString(jsonPart)}, json);`]),
    ...body.parts.flatMap((path) => partLines(path, context)),
  ];
  if (!whenParts) return [...object, ...parts];
  const condition = body.parts.map((path) => inOr(access(path).isSet)).join(" || ");
  // without a JSON part, the object is used only for the body without parts
  const whole = jsonPart === undefined ? objectLines(body.fields, context) : [];
  const plain = ["} else {", ...[...whole, "request.json(json);"].map((line) => `  ${line}`), "}"];
  // declared as a constant, because the type checker would otherwise conclude that oneof members are unset in
  // the code below
  const named = condition.includes(" && ") ? [`const hasParts = ${condition};`] : [];
  const head = `if (${named.length > 0 ? "hasParts" : condition}) {`;
  return [...object, ...named, head, ...parts.map((line) => `  ${line}`), ...plain];
}

function inOr(condition: string): string {
  return condition.includes(" && ") ? `(${condition})` : condition;
}

/**
 * Returns the lines for a field placed in a part: bytes, a google.api.HttpBody, or a message whose fields are
 * pieces of the part.
 */
function partLines(path: FieldPath, { rules, file }: Context): string[] {
  const field = path.at(-1) as DescField;
  const name = requestName(field, rules.json, file.types);
  const { expression, isSet, mayBeUnset } = access(path);
  const message = valueMessageOf(field);
  if (field.fieldKind !== "list") {
    return [`if (${isSet}) ${partBytes(printString(name), expression, message, file.types)}`];
  }
  const isIndexed = file.types.field(field).style === "indexed";
  const head = isIndexed ? `const [index, item] of ${expression}.entries()` : `const item of ${expression}`;
  const itemName = isIndexed ? `\`${name}[\${index}]\`` : printString(name);
  const loop = `for (${head}) ${partBytes(itemName, "item", message, file.types)}`;
  return mayBeUnset ? [`if (${isSet}) {`, `  ${loop}`, "}"] : [loop];
}

function partBytes(name: string, value: string, message: DescMessage | undefined, types: TypeModels): string {
  if (message === undefined) return `request.partBytes(${name}, ${value}, {});`;
  const piece = (wanted: Piece, fallback: string) => {
    const found = message.fields.find((field) => types.field(field).piece === wanted)?.localName;
    return found ?? (message.typeName === "google.api.HttpBody" ? fallback : "");
  };
  const [partName, content] = [piece("part_name", ""), piece("content", "data")];
  const [type, filename] = [piece("content_type", "contentType"), piece("filename", "")];
  const options = [
    ...(type === "" ? [] : [`contentType: ${value}.${type}`]),
    ...(filename === "" ? [] : [`filename: ${value}.${filename}`]),
  ];
  const named = partName === "" ? name : `${value}.${partName} || ${name}`;
  return `request.partBytes(${named}, ${value}.${content}, { ${options.join(", ")} });`.replace("{  }", "{}");
}
