import type { DescField } from "@bufbuild/protobuf";
import { fieldRules, oneofRules } from "../descriptors/options.ts";
import { isScalarMessage } from "../descriptors/well-known.ts";
import { FieldRules_Style as Style } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { Choice, FieldPath, Parameters } from "../model/model.ts";
import type { Rules } from "../model/rules.ts";
import { access } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { wireValues } from "./decoder.ts";
import { jsonValue } from "./encoder.ts";
import { printString } from "./literal.ts";
import { singleMessageOf, textValue } from "./request-value.ts";
import { parameterName, requestName } from "./wire-names.ts";

const STYLES: Readonly<Record<Style, string>> = {
  [Style.STYLE_UNSPECIFIED]: "repeat",
  [Style.REPEAT]: "repeat",
  [Style.BRACKETS]: "brackets",
  [Style.INDEXED]: "indexed",
  [Style.COMMA]: "comma",
  [Style.SPREAD]: "spread",
};

/** What parameters are printed with. */
export interface Context {
  readonly rules: Rules;
  readonly file: AdapterFile;
}

/** Which call of the request writer takes a parameter. */
export type Call = "query" | "form" | "part";

/** The lines that add one header, cookie or OAuth 1.0a parameter. */
export function valueLines(call: string, path: FieldPath, { rules, file }: Context): string[] {
  const field = path.at(-1) as DescField;
  const { expression, isSet } = access(path);
  const name = printString(requestName(field, rules.json));
  if (field.fieldKind === "list") {
    const values = mapped(expression, textValue(field, "item", file));
    return [`if (${isSet}) request.${call}(${name}, ${values}.join(", "));`];
  }
  return [`if (${isSet}) request.${call}(${name}, ${textValue(field, expression, file)});`];
}

/** The lines that add a parameter to the query, the form or the parts. */
export function parameterLines(
  call: Call,
  path: FieldPath,
  { rules, file }: Context,
  holder = "message",
): string[] {
  const field = path.at(-1) as DescField;
  const { expression, optional, isSet, mayBeUnset } = access(path, holder);
  const name = printString(parameterName(path, rules));
  const urlSafe = call === "query" && rules.urlSafeQuery;
  if (rules.brackets && isTree(field)) {
    const lists = fieldRules(field).style === Style.BRACKETS ? "brackets" : "indexed";
    const json = jsonValue(field, expression, rules.json, file);
    return [`if (${isSet}) request.${call}Tree(${name}, ${json}, ${printString(lists)});`];
  }
  if (field.fieldKind === "map") {
    const key = call === "query" ? rules.apiKey?.query : undefined;
    const reserved = key === undefined ? "" : `, [${printString(key)}]`;
    const line = `request.${call}Map(${printString(field.name)}, ${mapEntries(field, expression, file)}${reserved});`;
    return [mayBeUnset ? `if (${isSet}) ${line}` : line];
  }
  if (field.fieldKind === "list") {
    const values = mapped(expression, textValue(field, "item", file, urlSafe));
    const line = `request.${call}List(${name}, ${values}, ${listStyle(field)});`;
    return [mayBeUnset ? `if (${isSet}) ${line}` : line];
  }
  const value = textValue(field, expression, file, urlSafe);
  // undefined is skipped by the writer, so that a plain optional value needs no condition
  const skipsItself = value === expression && isSet === `${optional} !== undefined`;
  return [
    skipsItself
      ? `request.${call}(${name}, ${optional});`
      : `if (${isSet}) request.${call}(${name}, ${value});`,
  ];
}

/** Whether a field is taken apart when the call is made: only such messages are at the end of a path. */
function isTree(field: DescField): boolean {
  if (field.fieldKind === "map") return fieldRules(field).style !== Style.SPREAD;
  const message = singleMessageOf(field);
  return message !== undefined && !isScalarMessage(message);
}

/** The lines that add the fields of a form, oneofs included. */
export function formLines(call: Call, { paths, choices }: Parameters, context: Context): string[] {
  return [
    ...paths.flatMap((path) => parameterLines(call, path, context)),
    ...choices.flatMap((choice) => choiceLines(call, choice, context)),
  ];
}

function choiceLines(call: Call, { oneof, members }: Choice, context: Context): string[] {
  const { discriminator, fallback } = oneofRules(oneof);
  const cases = members.flatMap(({ field, paths }) => {
    const [wire] = wireValues(field);
    const isNamed = field.name !== fallback && wire !== undefined;
    const isMessage = field.fieldKind === "message";
    const values = paths.flatMap((path) =>
      parameterLines(call, path, context, isMessage ? "member" : "message"),
    );
    return [
      `  case ${printString(field.localName)}: {`,
      ...(isMessage && values.length > 0 ? [`    const member = message.${oneof.localName}.value;`] : []),
      ...(isNamed ? [`    request.${call}(${printString(discriminator)}, ${printString(wire)});`] : []),
      ...values.map((line) => `    ${line}`),
      "    break;",
      "  }",
    ];
  });
  return [`switch (message.${oneof.localName}.case) {`, ...cases, "}"];
}

/** The runtime's name for the style of a list. */
export function listStyle(field: DescField): string {
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
