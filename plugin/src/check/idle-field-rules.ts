/** Finds rules of a field that have no effect because of other rules of the field. */
import type { DescField } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import {
  type FieldModel,
  isFlattened,
  LONE_RULES,
  type Place,
  RESPONSE_RULES,
  type TypeModels,
} from "../model/types.ts";

const { field: RULE } = FieldRulesSchema;

const SINGLE_PLACES: ReadonlySet<Place | undefined> = new Set([
  "header",
  "cookie",
  "oauth1_param",
  "path",
  "nothing",
]);
const JSON_PLACES: ReadonlySet<Place | undefined> = new Set([undefined, "body", "part", "query"]);

/** Reports rules of a field that have no effect because of other rules of the field. */
export function checkIdleFieldRules(field: DescField, types: TypeModels, problems: Problems): void {
  const rules = types.field(field);
  const idle = (rule: keyof typeof RULE, reason: string) =>
    problems.add(
      field,
      [RULES, RULE[rule].number],
      "no-effect",
      `${RULE[rule].name} of ${nameOf(field)} has no effect: ${reason}`,
    );
  const { place, sources, aliases, unknown, style, number, conditions } = rules;
  if (sources.length > 0 && aliases.length > 0) {
    idle("aliases", "`from` says where the value is; remove aliases");
  }
  if (unknown) {
    const reason = "a field that collects unknown keys has no key of its own; remove it";
    if (rules.name !== "") idle("name", reason);
    if (aliases.length > 0) idle("aliases", reason);
    if (sources.length > 0) idle("from", reason);
  }
  checkMember(field, types, idle);
  if (types.tuple(field.parent)) checkItem(rules, idle);
  if (rules.jsonText) checkJsonText(rules, idle);
  if (rules.encoding !== undefined && (rules.jsonText || (place !== "header" && place !== "cookie"))) {
    idle("encoding", "it is for values in a HEADER or COOKIE that are not JSON; remove it");
  }
  if (place === undefined) return;
  const reason = "`in` places the field in a request, and the rule is for responses; remove it";
  for (const [option, name] of Object.entries(RESPONSE_RULES)) {
    if (isSet(rules[name])) idle(option as keyof typeof RESPONSE_RULES, reason);
  }
  if (unknown && place !== "body") {
    idle("unknown", "only a JSON body or a response has unknown keys; remove it");
  }
  const inPlace = `a value in ${place === "nothing" ? "NOTHING is not sent" : `${place.toUpperCase()} has one form`}; remove it`;
  if (style !== undefined && SINGLE_PLACES.has(place)) idle("style", inPlace);
  if (number !== undefined && !JSON_PLACES.has(place)) idle("number", "it is for JSON; remove it");
  if (place !== "nothing") return;
  if (rules.name !== "") idle("name", inPlace);
  if (rules.time !== undefined) idle("time", inPlace);
  if (rules.bytes !== undefined) idle("bytes", inPlace);
  if (rules.unwrap) idle("unwrap", inPlace);
  if (conditions.length > 0) idle("when", inPlace);
  if (rules.piece !== undefined) idle("piece", inPlace);
}

/** The places in which a value cannot be JSON as text. Cookies cannot contain quotes. */
const NOT_JSON_TEXT = ["path", "cookie", "part", "nothing"] as const satisfies readonly Place[];

function checkJsonText(
  { place, style, unknown }: FieldModel,
  idle: (rule: keyof typeof RULE, reason: string) => void,
): void {
  if (unknown) idle("jsonText", "unknown keys are JSON already; remove it");
  const found = NOT_JSON_TEXT.find((each) => each === place);
  if (found !== undefined) idle("jsonText", `a value in ${found.toUpperCase()} cannot be JSON; remove it`);
  if (style !== undefined) idle("style", "with json_text the value is one text; remove it");
}

/** The rules for the key of a value. They do not apply to a oneof member whose place the oneof determines. */
const KEY_RULES = ["name", "aliases", "sources"] as const;

/** The rules for a whole list, which the further items of a tuple are not. */
const LIST_RULES = ["style", "absent"] as const;

function checkItem(rules: FieldModel, idle: (rule: keyof typeof RULE, reason: string) => void): void {
  if (rules.unknown) {
    const reason = "the further items of a tuple are separate values; remove it";
    for (const name of LIST_RULES) if (isSet(rules[name] ?? "")) idle(name, reason);
    return;
  }
  for (const name of KEY_RULES) {
    const reason = "an item of a tuple has no key; remove it";
    if (isSet(rules[name])) idle(name === "sources" ? "from" : name, reason);
  }
}

function checkMember(
  field: DescField,
  types: TypeModels,
  idle: (rule: keyof typeof RULE, reason: string) => void,
): void {
  const { oneof } = field;
  if (oneof === undefined) return;
  const rules = types.field(field);
  for (const name of LONE_RULES) {
    if (isSet(rules[name])) idle(name, "what a response has chooses the member of a oneof; remove it");
  }
  const { layout, payload } = types.oneof(oneof);
  if (layout === "unwrapped" && rules.jsonText) {
    const name = nameOf(oneof.parent);
    idle("jsonText", `a JSON type chooses the member; set it on the fields that hold ${name}`);
  }
  const isSpread = field.fieldKind === "message" && isFlattened(oneof, types);
  if (layout !== "beside" && !isSpread) return;
  const where = isSpread
    ? `the oneof \`${oneof.name}\` is FLATTENED, so that the keys of the member are those of its fields`
    : `the members of the oneof \`${oneof.name}\` have one key, \`${payload}\``;
  const remedy = isSpread ? "remove it, or set layout: NESTED for a key of its own" : "remove it";
  for (const name of KEY_RULES) {
    if (isSet(rules[name])) idle(name === "sources" ? "from" : name, `${where}; ${remedy}`);
  }
  if (isSpread && rules.coerce) idle("coerce", `${where}; set it on these`);
  if (isSpread && rules.jsonText) idle("jsonText", `${where}; set it on these`);
  if (isSpread && rules.unwrap) idle("unwrap", `${where}; ${remedy}`);
}

function isSet(rule: boolean | string | readonly unknown[]): boolean {
  return typeof rule === "boolean" ? rule : rule.length > 0;
}
