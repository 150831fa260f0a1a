/** Checks the spellings of enum values on the wire. */
import type { DescEnum, DescEnumValue } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { EnumValueRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { TypeModels } from "../model/types.ts";

import { checkTypeTexts } from "./rule-texts.ts";

const { field: RULE } = EnumValueRulesSchema;

/** Reports spellings that represent two values of an enum. Aliases of the same number count as one value. */
export function checkEnum(desc: DescEnum, types: TypeModels, problems: Problems): void {
  const taken = new Map<string, DescEnumValue>();
  for (const value of desc.values) {
    checkTypeTexts(value, types, problems);
    const { wire, aliases } = types.enumValue(value);
    const spellings = [
      { spelling: wire ?? value.name, place: [RULE.wire.number] },
      ...aliases.map((spelling, index) => ({ spelling, place: [RULE.aliases.number, index] })),
    ];
    for (const { spelling, place } of spellings) {
      const other = taken.get(spelling);
      taken.set(spelling, other ?? value);
      if (other === undefined) continue;
      if (other === value) {
        const text = `the alias \`${spelling}\` of ${nameOf(value)} is already a spelling of the value`;
        problems.add(value, [RULES, ...place], "alias-twice", text);
      } else if (other.number !== value.number) {
        const text = `\`${spelling}\` is already the spelling of ${other.name}, so ${value.name} of ${nameOf(desc)} is never read`;
        problems.add(value, [RULES, ...place], "wire-twice", text);
      }
    }
  }
}
