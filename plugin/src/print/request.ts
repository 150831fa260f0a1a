import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { fieldRules } from "../descriptors/options.ts";
import {
  FieldRules_Piece as Piece,
  FieldRules_Style as Style,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import type { BindingModel, FieldPath, MethodModel } from "../model/model.ts";
import { patternText } from "../model/path-template.ts";
import type { JsonStyle } from "../model/rules.ts";
import { access } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { jsonLines, jsonValue, oneofLines } from "./encoder.ts";
import { printString } from "./literal.ts";
import { singleMessageOf, textValue } from "./request-value.ts";
import { templateText } from "./template.ts";
import { parameterName, requestName } from "./wire-names.ts";

const STYLES: Readonly<Record<Style, string>> = {
  [Style.STYLE_UNSPECIFIED]: "repeat",
  [Style.REPEAT]: "repeat",
  [Style.BRACKETS]: "brackets",
  [Style.INDEXED]: "indexed",
  [Style.COMMA]: "comma",
  [Style.SPREAD]: "spread",
};

/** The lines of the function body that builds a method's REST request. */
export function requestLines(method: MethodModel, file: AdapterFile): string[] {
  const [first, ...others] = method.bindings;
  if (first === undefined) throw new Error(`${method.desc} has no binding`);
  if (others.length === 0) return bindingLines(method, first, file);
  const choices = method.bindings.flatMap((binding) => {
    const lines = bindingLines(method, binding, file);
    const condition = fitsExpression(binding, file);
    if (condition === "") return lines;
    return [`if (${condition}) {`, ...lines.map((line) => `  ${line}`), "}"];
  });
  if (method.bindings.some((binding) => binding.variables.size === 0)) return choices;
  const [variable = ""] = first.variables.keys();
  const templates = method.bindings.map((binding) => printString(templateText(binding.template)));
  const error = `${file.runtimeValue("noBinding")}(${printString(variable)}, [${templates.join(", ")}])`;
  return [...choices, `throw ${error};`];
}

/** The condition under which a request fills the path of a binding; empty where it always does. */
function fitsExpression(binding: BindingModel, file: AdapterFile): string {
  const conditions = binding.template.segments.flatMap((segment) => {
    if (segment.kind !== "variable") return [];
    const path = binding.variables.get(segment.fieldPath);
    const field = path?.at(-1);
    if (path === undefined || field === undefined) return [];
    const { expression } = access(path);
    const value = textValue(field, expression, file);
    const pattern = printString(patternText(segment.segments));
    if (value === expression) return [`${file.runtimeValue("fits")}(${value}, ${pattern})`];
    return [`${expression} !== undefined && ${file.runtimeValue("fits")}(${value}, ${pattern})`];
  });
  return conditions.join(" && ");
}

function bindingLines(method: MethodModel, binding: BindingModel, file: AdapterFile): string[] {
  const { json } = method.rules;
  return [
    `const request = new ${file.runtimeValue("RequestWriter")}(${printString(binding.verb)}, ${pathExpression(method, binding, file)});`,
    ...method.rules.headers.map(
      ({ name, value }) => `request.header(${printString(name)}, ${printString(value)});`,
    ),
    ...binding.headers.flatMap((path) => valueLines("header", path, json, file)),
    ...binding.cookies.flatMap((path) => valueLines("cookie", path, json, file)),
    ...binding.oauth1Params.flatMap((path) => valueLines("oauth1Param", path, json, file)),
    ...binding.query.flatMap((path) => parameterLines("query", path, json, file, method.rules.urlSafeQuery)),
    ...bodyLines(method, binding, file),
    "return request;",
  ];
}

function pathExpression(method: MethodModel, binding: BindingModel, file: AdapterFile): string {
  const { segments, verb } = binding.template;
  const parts = segments.map((segment) => {
    if (segment.kind === "literal") return escapeTemplate(segment.text);
    if (segment.kind === "wildcard") return segment.deep ? "**" : "*";
    return `\${${variable(method, segment, binding, file)}}`;
  });
  const text = `/${parts.join("/")}${verb === "" ? "" : `:${escapeTemplate(verb)}`}`;
  return text.includes("${") ? `\`${text}\`` : printString(text);
}

function escapeTemplate(text: string): string {
  return text.replace(/[`\\]|\$\{/g, "\\$&");
}

function variable(
  method: MethodModel,
  segment: Extract<BindingModel["template"]["segments"][number], { kind: "variable" }>,
  binding: BindingModel,
  file: AdapterFile,
): string {
  const path = binding.variables.get(segment.fieldPath);
  const field = path?.at(-1);
  if (path === undefined || field === undefined) throw new Error(`${segment.fieldPath} is not resolved`);
  const { expression, isSet } = access(path);
  const mayBeUnset = path.length > 1 || isSet.endsWith("!== undefined");
  const value = mayBeUnset ? optionalPathValue(field, expression, file) : textValue(field, expression, file);
  const pattern = patternText(segment.segments);
  const name = printString(segment.fieldPath);
  if (pattern === "**") return `${file.runtimeValue("pathSegments")}(${value}, ${name})`;
  if (pattern === "*" && !method.rules.refuseSlash)
    return `${file.runtimeValue("pathSegment")}(${value}, ${name})`;
  return `${file.runtimeValue("pathPattern")}(${value}, ${printString(pattern)}, ${name})`;
}

/** A field that may be unset has an empty value then, which the path refuses by its name. */
function optionalPathValue(field: DescField, expression: string, file: AdapterFile): string {
  const text = textValue(field, expression, file);
  return text === expression ? `${expression} ?? ""` : `${expression} === undefined ? "" : ${text}`;
}

/** The lines that add one value which is neither list nor map. */
function valueLines(call: string, path: FieldPath, style: JsonStyle, file: AdapterFile): string[] {
  const field = path.at(-1) as DescField;
  const { expression, isSet } = access(path);
  const name = printString(requestName(field, style));
  if (field.fieldKind === "list") {
    const values = mapped(expression, textValue(field, "item", file));
    return [`if (${isSet}) request.${call}(${name}, ${values}.join(", "));`];
  }
  return [`if (${isSet}) request.${call}(${name}, ${textValue(field, expression, file)});`];
}

/** The lines that add a parameter to the query or the form. */
function parameterLines(
  call: "query" | "form",
  path: FieldPath,
  style: JsonStyle,
  file: AdapterFile,
  urlSafe: boolean,
): string[] {
  const field = path.at(-1) as DescField;
  const { expression, isSet } = access(path);
  const name = printString(parameterName(path, style));
  if (field.fieldKind === "map") {
    const entries = mapEntries(field, expression, file);
    return [`request.${call}Map(${printString(field.name)}, ${entries});`];
  }
  if (field.fieldKind === "list") {
    const values = mapped(expression, textValue(field, "item", file, urlSafe));
    const line = `request.${call}List(${name}, ${values}, ${listStyle(field)});`;
    return [expression.includes("?.") ? `if (${isSet}) ${line}` : line];
  }
  const value = textValue(field, expression, file, urlSafe);
  // undefined is skipped by the writer, so that a plain optional value needs no condition
  const skipsItself = value === expression && isSet === `${expression} !== undefined`;
  return [
    skipsItself ? `request.${call}(${name}, ${value});` : `if (${isSet}) request.${call}(${name}, ${value});`,
  ];
}

function listStyle(field: DescField): string {
  return printString(STYLES[fieldRules(field).style] ?? "repeat");
}

function mapped(list: string, item: string): string {
  return item === "item" ? list : `${list}.map((item) => ${item})`;
}

function mapEntries(field: DescField, expression: string, file: AdapterFile): string {
  const value = textValue(field, "value", file);
  if (value === "value") return expression;
  return `Object.fromEntries(Object.entries(${expression}).map(([key, value]) => [key, ${value}]))`;
}

function bodyLines(method: MethodModel, binding: BindingModel, file: AdapterFile): string[] {
  const { body } = binding;
  const { json } = method.rules;
  switch (body.kind) {
    case "none":
      return [];
    case "field": {
      const { expression, isSet } = access([body.field]);
      return [`if (${isSet}) request.json(${jsonValue(body.field, expression, json, file)});`];
    }
    case "http-body": {
      const expression = body.field === undefined ? "message" : access([body.field]).expression;
      const type = `${expression}.contentType || "application/octet-stream"`;
      const line = `request.bytes(${type}, ${expression}.data);`;
      return [body.field === undefined ? line : `if (${expression} !== undefined) ${line}`];
    }
    case "form":
      return body.paths.flatMap((path) => parameterLines("form", path, json, file, false));
    case "multipart":
      return multipartLines(body, json, file);
    case "fields": {
      const omit = body.omitted.map((path) => `${file.runtimeValue("omit")}(json, ${printString(path)});`);
      return [...objectLines(body.fields, json, file), ...omit, "request.json(json);"];
    }
  }
}

/** The lines that make an object `json` of some fields of the request. */
function objectLines(fields: readonly DescField[], style: JsonStyle, file: AdapterFile): string[] {
  const oneofs = new Set(fields.map((field) => field.oneof).filter((oneof) => oneof !== undefined));
  return [
    `const json: ${file.runtimeType("JsonRecord")} = {};`,
    ...fields.filter((field) => field.oneof === undefined).flatMap((field) => jsonLines(field, style, file)),
    ...[...oneofs].flatMap((oneof) => oneofLines(oneof, style, file)),
  ];
}

type Multipart = Extract<BindingModel["body"], { kind: "multipart" }>;

function multipartLines(body: Multipart, style: JsonStyle, file: AdapterFile): string[] {
  const object = body.json === undefined ? [] : objectLines(body.json.fields, style, file);
  const jsonPart =
    body.json === undefined ? [] : [`request.partJson(${printString(body.json.name || "json")}, json);`];
  const parts = [
    ...jsonPart,
    ...body.paths.flatMap((path) => textPartLines(path, style, file)),
    ...body.parts.flatMap((field) => partLines(field, style)),
  ];
  if (!body.whenParts) return [...object, ...parts];
  const condition = body.parts.map((field) => access([field]).isSet).join(" || ");
  return [
    ...object,
    `if (${condition || "false"}) {`,
    ...parts.map((line) => `  ${line}`),
    "} else {",
    "  request.json(json);",
    "}",
  ];
}

/** A scalar field as a part of text; a list as several, named by its style. */
function textPartLines(path: FieldPath, style: JsonStyle, file: AdapterFile): string[] {
  const field = path.at(-1) as DescField;
  const { expression, isSet } = access(path);
  const name = parameterName(path, style);
  if (field.fieldKind !== "list")
    return [`if (${isSet}) request.part(${printString(name)}, ${textValue(field, expression, file)});`];
  const values = mapped(expression, textValue(field, "item", file));
  const line = `request.partList(${printString(name)}, ${values}, ${listStyle(field)});`;
  return [expression.includes("?.") ? `if (${isSet}) ${line}` : line];
}

/** A field that is placed in a part: bytes, a google.api.HttpBody, or a message whose fields are pieces of the part. */
function partLines(field: DescField, style: JsonStyle): string[] {
  const name = printString(requestName(field, style));
  const { expression, isSet } = access([field]);
  const message = singleMessageOf(field);
  if (field.fieldKind === "list") {
    const isIndexed = fieldRules(field).style === Style.INDEXED;
    const indexed = `\`${requestName(field, { names: "asDeclared", integers: "strings" })}[\${index}]\``;
    const itemName = isIndexed ? indexed : name;
    const call = partBytes(itemName, "item", message);
    const head = isIndexed
      ? `for (const [index, item] of ${expression}.entries())`
      : `for (const item of ${expression})`;
    return [`${head} ${call}`];
  }
  return [`if (${isSet}) ${partBytes(name, expression, message)}`];
}

function partBytes(name: string, value: string, message: DescMessage | undefined): string {
  if (message === undefined) return `request.partBytes(${name}, ${value}, {});`;
  const piece = (wanted: Piece, fallback: string) => {
    const found = message.fields.find((field) => fieldRules(field).piece === wanted)?.localName;
    return found ?? (message.typeName === "google.api.HttpBody" ? fallback : "");
  };
  const [partName, content] = [piece(Piece.PART_NAME, ""), piece(Piece.CONTENT, "data")];
  const [type, filename] = [piece(Piece.CONTENT_TYPE, "contentType"), piece(Piece.FILENAME, "")];
  const options = [
    ...(type === "" ? [] : [`contentType: ${value}.${type}`]),
    ...(filename === "" ? [] : [`filename: ${value}.${filename}`]),
  ];
  const named = partName === "" ? name : `${value}.${partName}`;
  return `request.partBytes(${named}, ${value}.${content}, { ${options.join(", ")} });`.replace("{  }", "{}");
}
