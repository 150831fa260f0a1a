import type { DescField } from "@bufbuild/protobuf";
import { fieldRules } from "../descriptors/options.ts";
import { FieldRules_Style as Style } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { BindingModel, FieldPath, MethodModel } from "../model/model.ts";
import type { JsonStyle, Rules } from "../model/rules.ts";
import { access } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { jsonLines, jsonValue, oneofLines } from "./encoder.ts";
import { printString } from "./literal.ts";
import { textValue } from "./request-value.ts";
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
export function requestLines(method: MethodModel, binding: BindingModel, file: AdapterFile): string[] {
  const writer = file.runtimeValue("RequestWriter");
  return [
    `const request = new ${writer}(${printString(binding.verb)}, ${pathExpression(binding, file)});`,
    ...constantHeaders(method.rules),
    ...binding.headers.flatMap((path) => headerLines(path, method.rules.json, file)),
    ...binding.query.map((path) => queryLine(path, method.rules.json, file)),
    ...bodyLines(binding, method.rules.json, file),
    "return request;",
  ];
}

function pathExpression(binding: BindingModel, file: AdapterFile): string {
  const { segments, verb } = binding.template;
  const parts = segments.map((segment) => {
    if (segment.kind === "literal") return templateText(segment.text);
    if (segment.kind === "wildcard") return segment.deep ? "**" : "*";
    return `\${${variable(segment, binding, file)}}`;
  });
  const text = `/${parts.join("/")}${verb === "" ? "" : `:${templateText(verb)}`}`;
  return text.includes("${") ? `\`${text}\`` : printString(text);
}

function templateText(text: string): string {
  return text.replace(/[`\\]|\$\{/g, "\\$&");
}

function variable(
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
  const deep = segment.segments.some((part) => part.kind === "wildcard" && part.deep);
  return `${file.runtimeValue(deep ? "pathSegments" : "pathSegment")}(${value}, ${printString(segment.fieldPath)})`;
}

/** A field that may be unset has an empty value then, which the path refuses by its name. */
function optionalPathValue(field: DescField, expression: string, file: AdapterFile): string {
  const text = textValue(field, expression, file);
  return text === expression ? `${expression} ?? ""` : `${expression} === undefined ? "" : ${text}`;
}

function constantHeaders(rules: Rules): string[] {
  return rules.headers.map(
    ({ name, value }) => `request.header(${printString(name)}, ${printString(value)});`,
  );
}

function headerLines(path: FieldPath, style: JsonStyle, file: AdapterFile): string[] {
  const field = path.at(-1) as DescField;
  const { expression, isSet } = access(path);
  const name = printString(requestName(field, style).toLowerCase());
  return [`if (${isSet}) request.header(${name}, String(${textValue(field, expression, file)}));`];
}

function queryLine(path: FieldPath, style: JsonStyle, file: AdapterFile): string {
  const field = path.at(-1) as DescField;
  const { expression, isSet } = access(path);
  const name = printString(parameterName(path, style));
  if (field.fieldKind === "map") return `request.queryMap(${printString(field.name)}, ${expression});`;
  if (field.fieldKind === "list") return listLine(field, name, expression, isSet, file);
  const value = textValue(field, expression, file);
  // undefined is skipped by the writer, so that a plain optional value needs no condition
  const skipsItself = value === expression && isSet === `${expression} !== undefined`;
  return skipsItself
    ? `request.query(${name}, ${value});`
    : `if (${isSet}) request.query(${name}, ${value});`;
}

function listLine(
  field: DescField,
  name: string,
  expression: string,
  isSet: string,
  file: AdapterFile,
): string {
  const style = printString(STYLES[fieldRules(field).style] ?? "repeat");
  const item = textValue(field, "item", file);
  const values = item === "item" ? expression : `${expression}.map((item) => ${item})`;
  const line = `request.queryList(${name}, ${values}, ${style});`;
  return expression.includes("?.") ? `if (${isSet}) ${line}` : line;
}

function bodyLines(binding: BindingModel, style: JsonStyle, file: AdapterFile): string[] {
  const { body } = binding;
  if (body.kind === "none") return [];
  if (body.kind === "field") {
    const { expression, isSet } = access([body.field]);
    return [`if (${isSet}) request.json(${jsonValue(body.field, expression, style, file)});`];
  }
  const oneofs = new Set(body.fields.map((field) => field.oneof).filter((oneof) => oneof !== undefined));
  return [
    `const json: ${file.runtimeType("JsonRecord")} = {};`,
    ...body.fields
      .filter((field) => field.oneof === undefined)
      .flatMap((field) => jsonLines(field, style, file)),
    ...[...oneofs].flatMap((oneof) => oneofLines(oneof, style, file)),
    "request.json(json);",
  ];
}
