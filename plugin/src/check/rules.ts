/** Checks that rules make sense where they stand. */
import { type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import { fieldRules, oneofRules, RULES, serviceRules } from "../descriptors/options.ts";
import { isScalarMessage, isTimestamp, messageOf } from "../descriptors/well-known.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import {
  OneofRules_Layout as Layout,
  FieldRules_Style as Style,
  Time_Unit,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import type { MethodModel } from "../model/model.ts";
import { suggest } from "../parse/field-path.ts";

/** Reports rules of a method that contradict each other or name what is not there. */
export function checkMethod(method: MethodModel, problems: Problems): void {
  const { desc, rules } = method;
  if (rules.credentials.includes("api_key") && rules.apiKey === undefined) {
    const service = serviceRules(desc.parent);
    const subject = service.credentials.length > 0 ? desc.parent : desc;
    const text = `${nameOf(desc)} accepts an API key, but nothing says where it goes; add \`api_key { query: "…" }\` or \`api_key { header: "…" }\``;
    problems.add(subject, [RULES, 10], "api-key-place", text);
  }
  for (const rule of rules.errors) {
    if (rule.reason !== undefined && !/^[A-Z][A-Z0-9_]+[A-Z0-9]$/.test(rule.reason)) {
      const text = `the reason \`${rule.reason}\` must be UPPER_SNAKE_CASE (google.rpc.ErrorInfo)`;
      problems.add(desc, [RULES, 4], "error-reason", text);
    }
  }
  for (const header of rules.headers) {
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(header.name) || !/^[\t\x20-\x7e]*$/.test(header.value)) {
      problems.add(
        desc,
        [RULES, 8],
        "header",
        `${JSON.stringify(`${header.name}: ${header.value}`)} is no header (RFC 9110 section 5)`,
      );
    }
  }
}

/** Reports rules of a field that do not fit it. */
export function checkField(field: DescField, problems: Problems): void {
  const rules = fieldRules(field);
  const add = (number: number, code: string, text: string) =>
    problems.add(field, [RULES, number], code, text);
  if (rules.time !== undefined && !isTimestamp(field)) {
    add(6, "time-type", `time is for fields of type google.protobuf.Timestamp; ${nameOf(field)} is none`);
  }
  if (rules.time?.unit === Time_Unit.FORMAT && !/YYYY/.test(rules.time.format)) {
    add(6, "time-format", `the format of ${nameOf(field)} has no year; write e.g. "YYYY-MM-DD HH:mm:ss"`);
  }
  if (
    rules.unwrap &&
    (messageOf(field)?.fields.length !== 1 || messageOf(field)?.fields[0]?.fieldKind !== "list")
  ) {
    add(7, "unwrap-type", `unwrap is for a message with one repeated field; ${nameOf(field)} is none`);
  }
  if (rules.style !== Style.STYLE_UNSPECIFIED && field.fieldKind !== "list" && field.fieldKind !== "map") {
    add(4, "style-type", `style is for repeated fields and maps; ${nameOf(field)} is singular`);
  }
  const written = WRITTEN_AS_TEXT[rules.style];
  if (written !== undefined && !isText(field)) {
    add(4, "style-type", `${written} writes values as text; those of ${nameOf(field)} are messages`);
  }
  if (rules.unknown && !isCollector(field)) {
    const text = `unknown is for a map<string, string> or a google.protobuf.Struct; ${nameOf(field)} is none`;
    add(8, "unknown-type", text);
  }
  if (rules.from.some(({ source }) => source.case === undefined)) {
    add(5, "from-source", `a source of ${nameOf(field)} names no place; set header, status or path`);
  }
}

/** Styles that write every value of a field as text. */
const WRITTEN_AS_TEXT: Readonly<Partial<Record<Style, string>>> = {
  [Style.COMMA]: "COMMA",
  [Style.SPREAD]: "SPREAD",
};

function isText(field: DescField): boolean {
  const message = "message" in field ? field.message : undefined;
  return message === undefined || isScalarMessage(message);
}

function isCollector(field: DescField): boolean {
  if (field.fieldKind === "message") return field.message.typeName === "google.protobuf.Struct";
  return (
    field.fieldKind === "map" &&
    field.mapKey === ScalarType.STRING &&
    field.mapKind === "scalar" &&
    field.scalar === ScalarType.STRING
  );
}

/** Reports faults of a oneof's rules. */
export function checkOneof(oneof: DescOneof, problems: Problems): void {
  const { discriminator, layout, payload, fallback } = oneofRules(oneof);
  const add = (number: number, code: string, text: string) =>
    problems.add(oneof, [RULES, number], code, text);
  const names = oneof.fields.map((field) => field.name);
  if (discriminator === "" && (layout !== Layout.LAYOUT_UNSPECIFIED || payload !== "" || fallback !== "")) {
    add(1, "discriminator", `the oneof ${nameOf(oneof)} has a layout but no discriminator`);
  }
  if (fallback !== "" && !names.includes(fallback)) {
    add(4, "fallback", `the oneof ${nameOf(oneof)} has no member \`${fallback}\`${suggest(fallback, names)}`);
  }
  if (layout === Layout.BESIDE && payload === "") {
    add(3, "payload", `the oneof ${nameOf(oneof)} has the layout BESIDE, which needs the key \`payload\``);
  }
  checkValues(oneof, problems);
}

function checkValues(oneof: DescOneof, problems: Problems): void {
  const seen = new Map<string, DescField>();
  for (const field of oneof.fields) {
    for (const value of fieldRules(field).when.flatMap((when) => when.values)) {
      const other = seen.get(value);
      if (other !== undefined && other !== field) {
        const text = `\`${value}\` already chooses \`${other.name}\` in the oneof ${nameOf(oneof)}`;
        problems.add(field, [RULES, 12], "when-twice", text);
      }
      seen.set(value, field);
    }
  }
}

/** Reports a second field that collects unknown keys. */
export function checkNames(message: DescMessage, problems: Problems): void {
  const collectors = message.fields.filter((field) => fieldRules(field).unknown);
  for (const field of collectors.slice(1)) {
    const text = `${nameOf(message)} already collects unknown keys in \`${collectors[0]?.name}\``;
    problems.add(field, [RULES, 8], "unknown-twice", text);
  }
}
