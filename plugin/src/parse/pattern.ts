import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { isScalarMessage, isWrapper } from "../descriptors/well-known.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import { type HttpRule, HttpRuleSchema } from "../gen/google/api/http_pb.ts";
import { resolveFieldPath } from "../model/field-path.ts";
import type { FieldPath } from "../model/model.ts";
import { type PathTemplate, variablesOf } from "../model/path-template.ts";
import { isTextMessage } from "../model/types.ts";
import { PathSyntaxError, parsePathTemplate } from "./path-template.ts";
import { typeModels } from "./types.ts";

/** The verb and path of an HTTP rule. */
export interface Pattern {
  readonly verb: string;
  readonly template: PathTemplate;
  /** The position of the path in the options of the method. */
  readonly at: OptionPath;
}

/**
 * Parses the verb and path of a rule. Reports a problem and returns undefined if they are invalid.
 *
 * @param rulePath the path of the rule in the options of the method
 */
export function parsePattern(
  desc: DescMethod,
  rule: HttpRule,
  rulePath: OptionPath,
  problems: Problems,
): Pattern | undefined {
  const { pattern } = rule;
  if (pattern.case === undefined) {
    problems.add(
      desc,
      rulePath,
      "http-pattern-missing",
      `the HTTP rule of ${nameOf(desc)} has no verb; add e.g. \`get: "/…"\``,
    );
    return undefined;
  }
  const [verb, path] =
    pattern.case === "custom"
      ? [pattern.value.kind, pattern.value.path]
      : [pattern.case.toUpperCase(), pattern.value];
  const at = [...rulePath, HttpRuleSchema.field[pattern.case].number];
  if (!/^[A-Z]+$/.test(verb)) {
    problems.add(desc, at, "http-verb", `\`${verb}\` is not an HTTP method; write it in capitals, e.g. HEAD`);
    return undefined;
  }
  try {
    return { verb, template: parsePathTemplate(path), at };
  } catch (error) {
    if (!(error instanceof PathSyntaxError)) throw error;
    const text = `the path \`${path}\` is invalid at character ${error.offset + 1}: ${error.message}`;
    problems.add(desc, at, "path-syntax", text);
    return undefined;
  }
}

/** Returns the fields that the variables of a path are bound to, by dotted name. */
export function parseVariables(
  desc: DescMethod,
  pattern: Pattern,
  problems: Problems,
): Map<string, FieldPath> {
  const variables = new Map<string, FieldPath>();
  const add = (code: string, text: string) => problems.add(desc, pattern.at, code, text);
  if (pattern.template.segments.some(({ kind }) => kind === "wildcard")) {
    add("path-wildcard", "a wildcard outside of a variable has no value to send; name a field: `{field=*}`");
  }
  for (const { fieldPath } of variablesOf(pattern.template)) {
    const resolved = resolveFieldPath(desc.input, fieldPath);
    if (resolved.fields === undefined) {
      add("path-field", `the path variable \`${fieldPath}\`: ${resolved.fault}`);
    } else if (variables.has(fieldPath)) {
      add(
        "path-field-twice",
        `the path variable \`${fieldPath}\` occurs twice; a field can be in the path only once`,
      );
    } else if (!canStandInPath(resolved.fields)) {
      add(
        "path-field-type",
        `the path variable \`${fieldPath}\` must be a single string, number, bool or enum${remedyFor(resolved.fields)}`,
      );
    } else {
      variables.set(fieldPath, resolved.fields);
    }
  }
  return variables;
}

/**
 * Returns advice for a message with a string form in a path, a common mistake: the type to declare instead.
 */
function remedyFor(path: FieldPath): string {
  const last = path.at(-1);
  if (last !== undefined && typeModels.field(last).jsonText) return ", without json_text";
  if (last?.fieldKind !== "message") return "";
  const { typeName } = last.message;
  if (typeName === "google.protobuf.Timestamp") {
    return "; declare a time as a string, or as an integer of seconds";
  }
  if (typeName === "google.protobuf.Duration") return "; declare a duration as a string, or as an integer";
  if (isWrapper(last.message)) return "; declare an `optional` field in place of the wrapper";
  return `; name a field of ${typeName}: \`{${last.name}.field}\``;
}

function canStandInPath(path: FieldPath): boolean {
  const last = path.at(-1);
  const holders = path.slice(0, -1);
  return (
    last !== undefined &&
    holders.every((field) => field.fieldKind === "message") &&
    (last.fieldKind === "scalar" || last.fieldKind === "enum" || isUnionOfTexts(last)) &&
    !typeModels.field(last).jsonText
  );
}

/** Reports whether a field is a oneof of scalars that replaces its message. */
function isUnionOfTexts(field: DescField): boolean {
  if (field.fieldKind !== "message" || isScalarMessage(field.message)) return false;
  return isTextMessage(field.message, typeModels);
}
