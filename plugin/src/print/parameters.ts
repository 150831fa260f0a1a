import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { isMask, type MaskSubject } from "../model/masks.ts";
import type { Choice, FieldPath, Parameters } from "../model/model.ts";
import type { Rules } from "../model/rules.ts";
import { discriminatorValues, type FieldModel, isTree } from "../model/types.ts";
import { parameterName, requestName } from "../model/wire-names.ts";
import { access, under } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { jsonValue } from "./encoder.ts";
import { printString } from "./literal.ts";
import { printMaskArguments } from "./mask-table.ts";
import { textValue } from "./request-value.ts";

/** The context for printing parameters. */
export interface Context {
  readonly rules: Rules;
  readonly file: AdapterFile;
  /** Returns the names of the parameters that the runtime sets for each page of a stream. */
  readonly pagingNames: (call: Call) => readonly string[];
  /** The request message. */
  readonly input: DescMessage;
  /** Returns the subject of a mask of the request. */
  readonly maskSubject: (mask: DescField) => MaskSubject | undefined;
}

/** The method of the request writer that takes a parameter. */
export type Call = "query" | "form" | "part";

/** Returns the arguments that follow a mask in the call that writes it; empty for other fields. */
function maskArguments(field: DescField, { rules, file, maskSubject }: Context): string {
  return isMask(field) ? printMaskArguments(maskSubject(field), rules.json, file) : "";
}

/** Returns the lines that add a header, cookie or OAuth 1.0a parameter. */
export function valueLines(call: string, path: FieldPath, context: Context): string[] {
  const { rules, file } = context;
  const field = path.at(-1) as DescField;
  const { expression, isSet } = access(path);
  const name = printString(requestName(field, rules.json, file.types));
  const more = maskArguments(field, context);
  if (file.types.field(field).jsonText) {
    const text = `${file.runtimeValue("asciiJson")}(${jsonValue(field, expression, rules.json, file)})`;
    return [`if (${isSet}) request.${call}(${name}, ${text});`];
  }
  if (field.fieldKind === "list") {
    const values = mapped(expression, encoded(field, textValue(field, "item", file, false, more), file));
    const text = `${file.runtimeValue("joinHeader")}(${values}, ${printString(field.name)})`;
    return [`if (${isSet}) request.${call}(${name}, ${text});`];
  }
  const text = encoded(field, textValue(field, expression, file, false, more), file);
  return [`if (${isSet}) request.${call}(${name}, ${text});`];
}

/** Returns a value of a header or a cookie in the encoding of its field. */
function encoded(field: DescField, value: string, file: AdapterFile): string {
  const { encoding } = file.types.field(field);
  if (encoding === undefined) return value;
  const prefix = encoding === "rfc8187" ? `, ${printString("UTF-8''")}` : "";
  return `${file.runtimeValue("percentValue")}(${value}, ${printString(field.name)}${prefix})`;
}

/** Returns the lines that add a parameter to the query, the form or the parts. */
export function parameterLines(call: Call, path: FieldPath, context: Context, holder = "message"): string[] {
  const { rules, file } = context;
  const field = path.at(-1) as DescField;
  const isRequired = rules.json.required === "sent" && file.types.required(field);
  const { expression, optional, isSet, mayBeUnset } = access(path, holder, isRequired);
  const name = printString(parameterName(path, rules, file.types));
  const model = file.types.field(field);
  const urlSafe = call === "query" && rules.urlSafeQuery;
  const more = maskArguments(field, context);
  const isTreeOfNames = rules.brackets && isTree(field, file.types);
  if (model.jsonText || isTreeOfNames) {
    // TypeScript does not infer from the condition that the map is set
    const isMap = field.fieldKind === "map" && field.mapKind !== "scalar" && mayBeUnset;
    const json = jsonValue(field, isMap ? `${expression} ?? {}` : expression, rules.json, file);
    if (model.jsonText) return [under(isSet, `request.${call}(${name}, ${json});`)];
    const lists = model.style === "brackets" ? "brackets" : "indexed";
    return [under(isSet, `request.${call}Tree(${name}, ${json}, ${printString(lists)});`)];
  }
  if (field.fieldKind === "map") {
    const entries = mapEntries(field, expression, file, urlSafe);
    const line = `request.${call}Map(${printString(field.name)}, ${entries}${mapArguments(call, context)});`;
    return [mayBeUnset ? `if (${isSet}) ${line}` : line];
  }
  if (field.fieldKind === "list") {
    const values = mapped(expression, textValue(field, "item", file, urlSafe, more));
    const line = `request.${call}List(${name}, ${values}, ${listStyle(model)});`;
    return [mayBeUnset ? `if (${isSet}) ${line}` : line];
  }
  const value = textValue(field, expression, file, urlSafe, more);
  // the writer skips undefined, so a plain optional value needs no condition
  const skipsItself = value === expression && isSet === `${optional} !== undefined`;
  return [
    skipsItself
      ? `request.${call}(${name}, ${optional});`
      : under(isSet, `request.${call}(${name}, ${value});`),
  ];
}

/** Returns the arguments with the names of map entries that are skipped, and of entries that are rejected. */
function mapArguments(call: Call, { rules: { apiKey, parameters }, pagingNames }: Context): string {
  const key = apiKey?.query === undefined ? [] : [apiKey.query];
  const reserved = [...key, ...parameters.map(({ name }) => name)];
  const paging = pagingNames(call);
  const names = paging.length > 0 ? [reserved, paging] : reserved.length > 0 ? [reserved] : [];
  return names.map((each) => `, [${each.map(printString).join(", ")}]`).join("");
}

/** Returns the lines that add the fields of a form, including oneofs. */
export function formLines(call: Call, { paths, choices }: Parameters, context: Context): string[] {
  return [
    ...paths.flatMap((path) => parameterLines(call, path, context)),
    ...choices.flatMap((choice) => choiceLines(call, choice, context)),
  ];
}

function choiceLines(call: Call, { oneof, members }: Choice, context: Context): string[] {
  const { types } = context.file;
  const { discriminator, fallback } = types.oneof(oneof);
  const cases = members.flatMap(({ field, paths }) => {
    const [wire] = discriminatorValues(field, types);
    const isNamed = discriminator !== "" && field.name !== fallback && wire !== undefined;
    const isMessage = field.fieldKind === "message";
    const own = paths.find(
      (path) => requestName(path.at(-1) as DescField, context.rules.json, types) === discriminator,
    );
    const others = members.filter((member) => member.field !== field);
    const values = paths.flatMap((path) =>
      parameterLines(call, path, context, isMessage ? "member" : "message"),
    );
    return [
      `  case ${printString(field.localName)}: {`,
      ...(isMessage && values.length > 0 ? [`    const member = message.${oneof.localName}.value;`] : []),
      ...(field.name === fallback && isMessage && own !== undefined
        ? [fallbackLine(own, discriminator, others, context)]
        : []),
      ...(isNamed ? [`    request.${call}(${printString(discriminator)}, ${printString(wire)});`] : []),
      ...values.map((line) => `    ${line}`),
      "    break;",
      "  }",
    ];
  });
  return [`switch (message.${oneof.localName}.case) {`, ...cases, "}"];
}

/** Returns the line that rejects a fallback member whose discriminator value selects another member. */
function fallbackLine(
  own: FieldPath,
  discriminator: string,
  others: Choice["members"],
  { file }: Context,
): string {
  const known = others.flatMap(({ field }) => discriminatorValues(field, file.types).map(printString));
  const { expression } = access(own, "member");
  const value = textValue(own.at(-1) as DescField, expression, file);
  return `${file.runtimeValue("checkFallback")}(${printString(discriminator)}, [${known.join(", ")}], ${value}, member);`;
}

/** Returns the name that the runtime uses for the style of a list. */
function listStyle({ style }: FieldModel): string {
  return printString(style ?? "repeat");
}

function mapped(list: string, item: string): string {
  return item === "item" ? list : `${list}.map((item) => ${item})`;
}

function mapEntries(field: DescField, expression: string, file: AdapterFile, urlSafe: boolean): string {
  const value = textValue(field, "value", file, urlSafe);
  if (value === "value") return expression;
  return `Object.fromEntries(Object.entries(${expression}).map(([key, value]) => [key, ${value}]))`;
}
