import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { fieldRules, HTTP, RULES } from "../descriptors/options.ts";
import { isScalarMessage } from "../descriptors/well-known.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import {
  FieldRules_Location as Location,
  FieldRules_Style as Style,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";
import type { BindingModel, BodyModel, FieldPath } from "../model/model.ts";
import type { PathTemplate } from "../model/path-template.ts";
import { resolveFieldPath, suggestion } from "./field-path.ts";
import { PathSyntaxError, parsePathTemplate } from "./path-template.ts";

/** Field numbers of google.api.HttpRule, to find where a part of it stands. */
const RULE = { get: 2, put: 3, post: 4, delete: 5, patch: 6, body: 7, custom: 8 } as const;

/** Parses one HTTP rule; undefined when it is wrong, and then there is a problem. */
export function parseBinding(desc: DescMethod, rule: HttpRule, problems: Problems): BindingModel | undefined {
  const pattern = parsePattern(desc, rule, problems);
  if (pattern === undefined) return undefined;
  const variables = parseVariables(desc, pattern, problems);
  const bound = new Set([...variables.values()].map((path) => path.map((field) => field.name).join(".")));
  const body = parseBody(desc, rule, pattern.verb, bound, problems);
  const inBody = new Set(bodyFields(body));
  const rest = desc.input.fields.filter((field) => !inBody.has(field));
  return {
    verb: pattern.verb,
    template: pattern.template,
    variables,
    query: rest
      .filter((field) => goesTo(field, Location.QUERY))
      .flatMap((field) => leaves(desc, [field], bound, problems)),
    headers: rest
      .filter((field) => fieldRules(field).in === Location.HEADER)
      .map((field) => [field] as const),
    body,
  };
}

interface Pattern {
  readonly verb: string;
  readonly template: PathTemplate;
  readonly number: number;
}

function parsePattern(desc: DescMethod, rule: HttpRule, problems: Problems): Pattern | undefined {
  const { pattern } = rule;
  if (pattern.case === undefined) {
    problems.add(
      desc,
      [HTTP],
      "http-pattern-missing",
      `the HTTP rule of ${nameOf(desc)} has no verb; add e.g. \`get: "/…"\``,
    );
    return undefined;
  }
  const [verb, path] =
    pattern.case === "custom"
      ? [pattern.value.kind, pattern.value.path]
      : [pattern.case.toUpperCase(), pattern.value];
  const number = RULE[pattern.case];
  if (!/^[A-Z]+$/.test(verb)) {
    problems.add(
      desc,
      [HTTP, number],
      "http-verb",
      `\`${verb}\` is not an HTTP method; write it in capitals, e.g. HEAD`,
    );
    return undefined;
  }
  try {
    return { verb, template: parsePathTemplate(path), number };
  } catch (error) {
    if (!(error instanceof PathSyntaxError)) throw error;
    const text = `the path \`${path}\` is wrong at character ${error.offset + 1}: ${error.message}`;
    problems.add(desc, [HTTP, number], "path-syntax", text);
    return undefined;
  }
}

function parseVariables(desc: DescMethod, pattern: Pattern, problems: Problems): Map<string, FieldPath> {
  const variables = new Map<string, FieldPath>();
  const add = (code: string, text: string) => problems.add(desc, [HTTP, pattern.number], code, text);
  for (const segment of pattern.template.segments) {
    if (segment.kind === "wildcard")
      add(
        "path-wildcard",
        "a wildcard outside of a variable has no value to send; name a field: `{field=*}`",
      );
    if (segment.kind !== "variable") continue;
    const resolved = resolveFieldPath(desc.input, segment.fieldPath);
    if (resolved.fields === undefined) {
      add("path-field", `the path variable \`${segment.fieldPath}\`: ${resolved.fault}`);
    } else if (variables.has(segment.fieldPath)) {
      add(
        "path-field-twice",
        `the path variable \`${segment.fieldPath}\` occurs twice; a field can stand in the path once`,
      );
    } else if (!canStandInPath(resolved.fields)) {
      add(
        "path-field-type",
        `the path variable \`${segment.fieldPath}\` must be a single string, number, bool or enum`,
      );
    } else {
      variables.set(segment.fieldPath, resolved.fields);
    }
  }
  return variables;
}

function canStandInPath(path: FieldPath): boolean {
  const last = path.at(-1);
  const holders = path.slice(0, -1);
  return (
    holders.every((field) => field.fieldKind === "message") &&
    (last?.fieldKind === "scalar" || last?.fieldKind === "enum")
  );
}

function parseBody(
  desc: DescMethod,
  rule: HttpRule,
  verb: string,
  bound: ReadonlySet<string>,
  problems: Problems,
): BodyModel {
  if (rule.body === "") return { kind: "none" };
  const add = (code: string, text: string) => problems.add(desc, [HTTP, RULE.body], code, text);
  if (verb === "GET" || verb === "HEAD") {
    add("body-verb", `a ${verb} request has no body (RFC 9110 section 9.3.1); remove \`body\` or use post`);
    return { kind: "none" };
  }
  if (rule.body === "*") {
    const fields = desc.input.fields.filter(
      (field) => !bound.has(field.name) && goesTo(field, Location.BODY),
    );
    return { kind: "fields", fields };
  }
  const field = desc.input.fields.find((candidate) => candidate.name === rule.body);
  if (field === undefined) {
    add(
      "body-field",
      `the body: message ${desc.input.typeName} has no field \`${rule.body}\`${suggestion(rule.body, desc.input)}`,
    );
    return { kind: "none" };
  }
  if (bound.has(field.name)) {
    add("body-field-in-path", `the field \`${field.name}\` cannot be both in the path and the body`);
    return { kind: "none" };
  }
  return { kind: "field", field };
}

function bodyFields(body: BodyModel): readonly DescField[] {
  if (body.kind === "fields") return body.fields;
  return body.kind === "field" ? [body.field] : [];
}

/** Whether a field goes to a place by its annotation or, where it has none, by default. */
function goesTo(field: DescField, place: Location): boolean {
  const where = fieldRules(field).in;
  return where === place || where === Location.LOCATION_UNSPECIFIED;
}

/** The values below a field that become query parameters: nested messages give one parameter a leaf. */
function leaves(
  desc: DescMethod,
  path: FieldPath,
  bound: ReadonlySet<string>,
  problems: Problems,
): FieldPath[] {
  const field = path.at(-1) as DescField;
  const dotted = path.map((step) => step.name).join(".");
  if (bound.has(dotted)) return [];
  if (field.fieldKind === "map" && fieldRules(field).style !== Style.SPREAD) {
    problems.add(
      field,
      [RULES],
      "query-map",
      `the map \`${dotted}\` cannot be a query parameter of ${nameOf(desc)}; set style: SPREAD`,
    );
    return [];
  }
  const message = field.fieldKind === "message" || field.fieldKind === "list" ? field.message : undefined;
  if (message === undefined || isScalarMessage(message)) return [path];
  if (field.fieldKind === "list") {
    const text = `the repeated message \`${dotted}\` cannot be a query parameter of ${nameOf(desc)}; use a body`;
    problems.add(field, [], "query-repeated-message", text);
    return [];
  }
  if (path.slice(0, -1).some((step) => holds(step, message)) || message === desc.input) {
    const text = `the message ${message.typeName} at \`${dotted}\` contains itself and cannot be query parameters of ${nameOf(desc)}`;
    problems.add(field, [], "query-recursion", text);
    return [];
  }
  return message.fields.flatMap((child) => leaves(desc, [...path, child], bound, problems));
}

function holds(field: DescField, message: DescMessage): boolean {
  return field.fieldKind === "message" && field.message === message;
}
