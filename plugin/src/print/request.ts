import type { DescField } from "@bufbuild/protobuf";
import type { BindingModel, MethodModel } from "../model/model.ts";
import { patternText } from "../model/path-template.ts";
import { access } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { bodyLines, constants, holdsConstants } from "./body.ts";
import { printString } from "./literal.ts";
import { parameterLines, valueLines } from "./parameters.ts";
import { textValue } from "./request-value.ts";
import { templateText } from "./template.ts";

/** The lines of the function body that builds a method's REST request. */
export function requestLines(method: MethodModel, file: AdapterFile): string[] {
  const [first, ...others] = method.bindings;
  if (first === undefined) throw new Error(`${method.desc} has no binding`);
  if (others.length === 0) return bindingLines(method, first, file);
  const choices = method.bindings.flatMap((binding) => {
    const lines = bindingLines(method, binding, file);
    const condition = fitsExpression(method, binding, file);
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
function fitsExpression(method: MethodModel, binding: BindingModel, file: AdapterFile): string {
  const conditions = binding.template.segments.flatMap((segment) => {
    if (segment.kind !== "variable") return [];
    const path = binding.variables.get(segment.fieldPath);
    const field = path?.at(-1);
    if (path === undefined || field === undefined) return [];
    const { optional } = access(path);
    const value = textValue(field, optional, file);
    const pattern = patternText(segment.segments);
    const form = escapesSlash(method, pattern) ? "" : `, ${printString(pattern)}`;
    const condition = `${file.runtimeValue("fits")}(${value}${form})`;
    return [value === optional ? condition : `${optional} !== undefined && ${condition}`];
  });
  return conditions.join(" && ");
}

function bindingLines(method: MethodModel, binding: BindingModel, file: AdapterFile): string[] {
  const { rules } = method;
  const context = { rules, file };
  const path = pathExpression(method, binding, file);
  return [
    `const request = new ${file.runtimeValue("RequestWriter")}(${printString(binding.verb)}, ${path});`,
    ...rules.headers.map(({ name, value }) => `request.header(${printString(name)}, ${printString(value)});`),
    ...binding.headers.flatMap((field) => valueLines("header", field, context)),
    ...binding.cookies.flatMap((field) => valueLines("cookie", field, context)),
    ...binding.oauth1Params.flatMap((field) => valueLines("oauth1Param", field, context)),
    ...(holdsConstants(binding.body) ? [] : constants("query", context)),
    ...binding.query.flatMap((field) => parameterLines("query", field, context)),
    ...bodyLines(binding.body, context),
    "return request;",
  ];
}

function pathExpression(method: MethodModel, binding: BindingModel, file: AdapterFile): string {
  const { segments, verb } = binding.template;
  const parts = segments.map((segment) => {
    if (segment.kind === "literal") return escapeTemplate(segment.text);
    if (segment.kind === "wildcard") return segment.deep ? "**" : "*";
    const { before = "", after = "" } = segment;
    const value = variable(method, segment, binding, file);
    return `${escapeTemplate(before)}\${${value}}${escapeTemplate(after)}`;
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
  const { optional, mayBeUnset } = access(path);
  const value = mayBeUnset ? optionalPathValue(field, optional, file) : textValue(field, optional, file);
  const pattern = patternText(segment.segments);
  const name = printString(segment.fieldPath);
  if (pattern === "**") return `${file.runtimeValue("pathSegments")}(${value}, ${name})`;
  if (escapesSlash(method, pattern)) return `${file.runtimeValue("pathSegment")}(${value}, ${name})`;
  return `${file.runtimeValue("pathPattern")}(${value}, ${printString(pattern)}, ${name})`;
}

/** Whether a value may have slashes although it is one segment. */
function escapesSlash(method: MethodModel, pattern: string): boolean {
  return pattern === "*" && !method.rules.refuseSlash;
}

/** A field that may be unset has an empty value then, which the path refuses by its name. */
function optionalPathValue(field: DescField, expression: string, file: AdapterFile): string {
  const text = textValue(field, expression, file);
  return text === expression ? `${expression} ?? ""` : `${expression} === undefined ? "" : ${text}`;
}
