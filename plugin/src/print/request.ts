import type { DescField } from "@bufbuild/protobuf";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { isString, messageOf } from "../descriptors/well-known.ts";
import { requestSubject } from "../model/masks.ts";
import type { BindingModel, MethodModel } from "../model/model.ts";
import { type PathVariable, patternText, type Segment, variablesOf } from "../model/path-template.ts";
import type { TypeModels } from "../model/types.ts";
import { parameterName } from "../model/wire-names.ts";
import { access } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { bodyLines, constants, holdsConstants } from "./body.ts";
import { printInline, printString } from "./literal.ts";
import { type Call, type Context, parameterLines, valueLines } from "./parameters.ts";
import { textValue } from "./request-value.ts";
import { templateText } from "./template.ts";
import { WIDTH } from "./wrap.ts";

/** Returns the lines of the function body that builds the REST request of a method. */
export function requestLines(method: MethodModel, file: AdapterFile): string[] {
  const [first, ...others] = method.bindings;
  if (first === undefined) throw new Error(`${method.desc} has no binding`);
  if (others.length === 0) return bindingLines(method, first, file);
  const choices = method.bindings.flatMap((binding) => {
    const condition = fitsExpression(method, binding, file, binding === others.at(-1));
    if (condition === "") return bindingLines(method, binding, file);
    const lines = bindingLines(method, binding, file, true);
    return [`if (${condition}) {`, ...lines.map((line) => `  ${line}`), "}"];
  });
  if (method.bindings.some((binding) => binding.variables.size === 0)) return choices;
  const [variable = ""] = first.variables.keys();
  const templates = method.bindings.map((binding) => printString(templateText(binding.template)));
  const error = `${file.runtimeValue("noBinding")}(${printString(variable)}, [${templates.join(", ")}])`;
  return [...choices, `throw ${error};`];
}

/**
 * Returns the condition under which a request fills the path of a binding; empty if it always does. The zero
 * of a field without presence counts as unset, so that another binding is used. The last binding sends the
 * zero.
 */
function fitsExpression(
  method: MethodModel,
  binding: BindingModel,
  file: AdapterFile,
  isLast: boolean,
): string {
  const conditions = variablesOf(binding.template).flatMap(({ fieldPath, segments }) => {
    const path = binding.variables.get(fieldPath);
    const field = path?.at(-1);
    if (path === undefined || field === undefined) return [];
    const { optional, isSet } = access(path);
    const value = pathText(method, field, optional, file);
    const pattern = patternText(segments);
    const form = escapesSlash(method, pattern) ? "" : `, ${printString(pattern)}`;
    const condition = `${file.runtimeValue("fits")}(${value}${form})`;
    if (!isLast && hasZero(field)) return [`${isSet} && ${condition}`];
    return [value === optional ? condition : `${optional} !== undefined && ${condition}`];
  });
  return conditions.join(" && ");
}

/**
 * Reports whether the zero of a field is sent like any other value. An empty string does not fit into a path.
 */
function hasZero(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.IMPLICIT && !isString(field);
}

/**
 * Returns the lines for a binding. A binding with a condition becomes a block in which its variables are
 * known to be set.
 */
function bindingLines(
  method: MethodModel,
  binding: BindingModel,
  file: AdapterFile,
  isChosen = false,
): string[] {
  const { rules } = method;
  const responseMessage = (method.responseBody && messageOf(method.responseBody)) ?? method.desc.output;
  const maskSubject = (mask: DescField) => requestSubject(mask, binding.body, responseMessage, file.types);
  const pagingNames = (call: Call) => pagingNamesOf(method, binding, call, file.types);
  const context = { rules, file, input: method.desc.input, maskSubject, pagingNames };
  const writer = file.runtimeValue("RequestWriter");
  const values = segmentValues(method, binding, file, isChosen);
  const make = (parts: readonly string[]) =>
    `new ${writer}(${printString(binding.verb)}, ${pathExpression(binding, parts)});`;
  const parameters = parameterLinesOf(binding, context);
  const start = parameters.length === 0 ? "return " : "const request = ";
  const end = parameters.length === 0 ? [] : [...parameters, "return request;"];
  const line = start + make(values.map(({ value }) => value));
  if (line.length <= WIDTH - (isChosen ? 6 : 4) || values.length === 0) return [line, ...end];
  const constants = values.map(({ name, value }) => ({ name: file.source.claimLocal(name), value }));
  const isTwice = new Set(constants.map(({ name }) => name)).size < constants.length;
  const names = constants.map(({ name }, index) => (isTwice ? `${name}${index + 1}` : name));
  return [
    ...constants.map(({ value }, index) => `const ${names[index]} = ${value};`),
    start + make(names),
    ...end,
  ];
}

/** Returns the parameters of a query or a body that the runtime sets for each page of a stream. */
function pagingNamesOf(
  { stream, rules }: MethodModel,
  { query, body }: BindingModel,
  call: Call,
  types: TypeModels,
): string[] {
  if (stream?.kind === "poll" && call === "query") {
    const { parameter = "" } = stream.feed?.pages ?? {};
    return parameter === "" ? [] : [parameter];
  }
  if (stream?.kind !== "paginate" || !("field" in stream.next)) return [];
  const { field } = stream.next;
  const paths = call === "query" ? query : "paths" in body ? body.paths : [];
  const isSent = paths.some((path) => path.every((step, index) => step === field[index]));
  return isSent ? [parameterName(field, rules, types)] : [];
}

/** Returns the lines for everything in a request except its path. */
function parameterLinesOf(binding: BindingModel, context: Context): string[] {
  const { rules } = context;
  return [
    ...rules.headers.map(({ name, value }) => `request.header(${printString(name)}, ${printString(value)});`),
    ...binding.headers.flatMap((field) => valueLines("header", field, context)),
    ...binding.cookies.flatMap((field) => valueLines("cookie", field, context)),
    ...binding.oauth1Params.flatMap((field) => valueLines("oauth1Param", field, context)),
    ...constants("query", context, holdsConstants(binding.body) ? "in query" : "all"),
    ...binding.query.flatMap((field) => parameterLines("query", field, context)),
    ...bodyLines(binding.body, context),
  ];
}

/** Returns the path as a template, from the expressions for the variables of its segments. */
function pathExpression(binding: BindingModel, segmentValues: readonly string[]): string {
  const { segments, verb } = binding.template;
  const values = [...segmentValues];
  const parts = segments.map((segment) => {
    if (segment.kind === "literal") return escapeTemplate(segment.text);
    if (segment.kind === "wildcard") return segment.deep ? "**" : "*";
    const [before = "", after = ""] = [segment.texts.at(0), segment.texts.at(-1)];
    return `${escapeTemplate(before)}\${${values.shift()}}${escapeTemplate(after)}`;
  });
  const text = `/${parts.join("/")}${verb === "" ? "" : `:${escapeTemplate(verb)}`}`;
  return text.includes("${") ? `\`${text}\`` : printString(text);
}

function escapeTemplate(text: string): string {
  return text.replace(/[`\\]|\$\{/g, "\\$&");
}

/** Returns the expressions for the variables of each segment, in order, and names for them. */
function segmentValues(
  method: MethodModel,
  binding: BindingModel,
  file: AdapterFile,
  isChosen: boolean,
): Array<{ readonly name: string; readonly value: string }> {
  return binding.template.segments.flatMap((segment) => {
    if (segment.kind !== "variables") return [];
    const value = segmentValue(method, segment, binding, file, isChosen);
    const names = segment.variables.map(({ fieldPath }) => fieldPath.replaceAll(".", "_"));
    return [{ name: protoCamelCase(names.join("_")), value }];
  });
}

/** Returns the expression for the part of a segment from its first to its last variable. */
function segmentValue(
  method: MethodModel,
  { variables, texts }: Extract<Segment, { kind: "variables" }>,
  binding: BindingModel,
  file: AdapterFile,
  isChosen: boolean,
): string {
  const values = variables.map((each) => variable(method, each, binding, file, isChosen));
  const [only = ""] = values;
  if (values.length === 1) return only;
  const names = variables.map(({ fieldPath }) => fieldPath);
  return `${file.runtimeValue("pathParts")}([${values.join(", ")}], ${printInline(texts.slice(1, -1))}, ${printInline(names)})`;
}

function variable(
  method: MethodModel,
  { fieldPath, segments }: PathVariable,
  binding: BindingModel,
  file: AdapterFile,
  isChosen: boolean,
): string {
  const path = binding.variables.get(fieldPath);
  const field = path?.at(-1);
  if (path === undefined || field === undefined) throw new Error(`${fieldPath} is not resolved`);
  const { optional, mayBeUnset } = access(path);
  const value = mayBeUnset
    ? optionalPathValue(method, field, optional, isChosen, file)
    : pathText(method, field, optional, file);
  const pattern = patternText(segments);
  const name = printString(fieldPath);
  const controls = method.rules.controlsInPath ? ', "controls"' : "";
  if (pattern === "**") return `${file.runtimeValue("pathSegments")}(${value}, ${name}${controls})`;
  if (escapesSlash(method, pattern)) {
    return `${file.runtimeValue("pathSegment")}(${value}, ${name}${controls})`;
  }
  return `${file.runtimeValue("pathPattern")}(${value}, ${printString(pattern)}, ${name}${controls})`;
}

/** Reports whether a value of one segment may contain slashes, which are escaped. */
function escapesSlash(method: MethodModel, pattern: string): boolean {
  return pattern === "*" && !method.rules.rejectSlash;
}

function pathText(method: MethodModel, field: DescField, value: string, file: AdapterFile): string {
  return textValue(field, value, file, method.rules.urlSafePath);
}

/**
 * Returns a path value that is empty if the field is unset. The runtime then rejects the request and names
 * the field.
 */
function optionalPathValue(
  method: MethodModel,
  field: DescField,
  expression: string,
  isChosen: boolean,
  file: AdapterFile,
): string {
  const text = pathText(method, field, expression, file);
  // the condition of the binding ensures that the value is set, but the type checker can follow only simple
  // expressions
  if (isChosen && text !== expression && /^[\w$.?]+$/.test(expression)) return text;
  return text === expression ? `${expression} ?? ""` : `${expression} === undefined ? "" : ${text}`;
}
