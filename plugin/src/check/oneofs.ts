/** Checks how the wire says which member of a oneof it holds. */
import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { fieldRules, oneofRules, RULES } from "../descriptors/options.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { OneofRules_Layout as Layout } from "../gen/connectrest/v1/field_rules_pb.ts";
import { checkCondition } from "./conditions.ts";

/** Field number of FieldRules.when. */
const WHEN = 12;

/** Reports faults in the rules of the oneofs of a message, and of their members. */
export function checkOneofs(message: DescMessage, problems: Problems): void {
  for (const oneof of message.oneofs) checkOneof(oneof, problems);
  for (const field of message.fields) {
    if (field.oneof !== undefined || fieldRules(field).when.length === 0) continue;
    const text = `when chooses a member of a oneof; ${nameOf(field)} is in none`;
    problems.add(field, [RULES, WHEN], "when-member", text);
  }
}

function checkOneof(oneof: DescOneof, problems: Problems): void {
  const { discriminator, layout, payload, fallback } = oneofRules(oneof);
  const add = (number: number, code: string, text: string) =>
    problems.add(oneof, [RULES, number], code, text);
  const names = oneof.fields.map((field) => field.name);
  const byConditions = oneof.fields.some((field) => fieldRules(field).when.some(({ key }) => key !== ""));
  const isLaidOut = layout !== Layout.LAYOUT_UNSPECIFIED || payload !== "" || fallback !== "";
  if (discriminator === "" && isLaidOut && !byConditions) {
    add(1, "discriminator", `the oneof ${nameOf(oneof)} has a layout but no discriminator`);
  }
  if (fallback !== "" && !names.includes(fallback)) {
    add(4, "fallback", `the oneof ${nameOf(oneof)} has no member \`${fallback}\`${suggest(fallback, names)}`);
  }
  if (layout === Layout.BESIDE && payload === "") {
    add(3, "payload", `the oneof ${nameOf(oneof)} has the layout BESIDE, which needs the key \`payload\``);
  }
  for (const field of oneof.fields) checkConditions(field, discriminator, problems);
  checkValues(oneof, problems);
}

function checkConditions(field: DescField, discriminator: string, problems: Problems): void {
  fieldRules(field).when.forEach((when, index) => {
    checkCondition(when, discriminator, (place, code, text) =>
      problems.add(field, [RULES, WHEN, index, ...place], code, `the condition of ${nameOf(field)} ${text}`),
    );
  });
}

/** Reports a value that chooses two members; a member without conditions is chosen by its name. */
function checkValues(oneof: DescOneof, problems: Problems): void {
  const { discriminator, fallback } = oneofRules(oneof);
  const chosen = new Map<string, DescField>();
  for (const field of oneof.fields) {
    for (const { signature, value } of choices(field, discriminator, fallback)) {
      const other = chosen.get(signature);
      if (other !== undefined && other !== field) {
        const text = `\`${value}\` already chooses \`${other.name}\` in the oneof ${nameOf(oneof)}`;
        problems.add(field, [RULES, WHEN], "when-twice", text);
      }
      chosen.set(signature, field);
    }
  }
}

function choices(
  field: DescField,
  discriminator: string,
  fallback: string,
): Array<{ readonly signature: string; readonly value: string }> {
  const { when } = fieldRules(field);
  if (when.length === 0) {
    if (discriminator === "" || field.name === fallback) return [];
    return [{ signature: JSON.stringify([discriminator, field.name, null, ""]), value: field.name }];
  }
  return when.flatMap(({ key, values, present, type }) =>
    values.map((value) => ({
      signature: JSON.stringify([key || discriminator, value, present ?? null, type]),
      value,
    })),
  );
}
