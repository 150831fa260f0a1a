/** Finds rules of fields that do not apply to any use of the field. */
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema, TimeSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { FieldModel, TypeModels } from "../model/types.ts";
import type { FieldUses, Use } from "../model/uses.ts";

const { field: RULE } = FieldRulesSchema;

/** The uses of fields, as messages name them. */
const NAMES: Readonly<Record<Use, string>> = {
  response: "responses",
  json: "JSON requests",
  parameter: "parameters of requests",
  tree: "parameters with brackets",
  part: "parts of requests",
};

const SENT: readonly Use[] = ["json", "parameter", "part"];

/** Returns the rules of a field that apply only to some uses, with these uses. */
function* limitedRules(
  rules: FieldModel,
): Generator<readonly [rule: string, at: OptionPath, uses: readonly Use[]]> {
  const { name, aliases, sources, coerce, absent, number, time, bytes, style, unwrap, piece } = rules;
  if (aliases.length > 0) yield ["aliases", [RULE.aliases.number], ["response"]];
  if (sources.length > 0) yield ["from", [RULE.from.number], ["response"]];
  if (coerce) yield ["coerce", [RULE.coerce.number], ["response"]];
  if (absent.length > 0) yield ["absent", [RULE.absent.number], ["response"]];
  if (name !== "" && sources.length > 0) yield ["name", [RULE.name.number], SENT];
  if (number !== undefined) yield ["number", [RULE.number.number], ["json"]];
  if (time?.rounding !== undefined) {
    yield ["rounding", [RULE.time.number, TimeSchema.field.rounding.number], SENT];
  }
  if (bytes === "base64url") yield ["bytes", [RULE.bytes.number], SENT];
  if (style !== undefined && style !== "comma") yield ["style", [RULE.style.number], ["parameter"]];
  if (unwrap) yield ["unwrap", [RULE.unwrap.number], ["response", "json", "tree"]];
  if (piece !== undefined) yield ["piece", [RULE.piece.number], ["part"]];
}

/**
 * Reports rules that have no effect because no method uses the field in the way that the rule concerns. Files
 * without services are omitted, because methods of another run may use their messages.
 */
export function checkUnusedRules(uses: FieldUses, types: TypeModels, problems: Problems): void {
  for (const [field, own] of uses) {
    if (field.parent.file.services.length === 0) continue;
    const { place } = types.field(field);
    if (place === "nothing") continue;
    for (const [rule, at, wanted] of limitedRules(types.field(field))) {
      if (wanted.some((use) => own.has(use))) continue;
      const text = `${rule} of ${nameOf(field)} has no effect: the rule is for ${listed(wanted)}, and the field is only used in ${listed([...own])}; remove it`;
      problems.add(field, [RULES, ...at], "no-effect", text);
    }
  }
}

function listed(uses: readonly Use[]): string {
  if (SENT.every((use) => uses.includes(use))) return "requests";
  return uses.map((use) => NAMES[use]).join(" and ");
}
