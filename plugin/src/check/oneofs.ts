/** Checks how a response identifies the member of a oneof. */
import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { isScalarMessage, messageOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { FieldRulesSchema, OneofRulesSchema, WhenSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { declaredKeys, firstKeysOf } from "../model/declared-keys.ts";
import { stepsOf } from "../model/dotted-path.ts";
import type { ConditionModel } from "../model/rules.ts";
import { isFlattened, type OneofModel, type TypeModels } from "../model/types.ts";
import { responseNames, spellings } from "../model/wire-names.ts";
import { impossibleValues } from "./condition-values.ts";
import { checkCondition, covers, testsOnly } from "./conditions.ts";
import { pathFault } from "./syntax.ts";
import { checkUnwrapped } from "./unwrapped.ts";

const WHEN = FieldRulesSchema.field.when.number;
const { field: RULE } = OneofRulesSchema;

/** Reports faults in the rules of the oneofs in a message and their members. */
export function checkOneofs(message: DescMessage, types: TypeModels, problems: Problems): void {
  for (const oneof of message.oneofs) checkOneof(oneof, types, problems);
  for (const field of message.fields) {
    if (field.oneof !== undefined || types.field(field).conditions.length === 0) continue;
    const text = `\`when\` requires a member of a oneof; ${nameOf(field)} is not in one`;
    problems.add(field, [RULES, WHEN], "when-member", text);
  }
}

function checkOneof(oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const { discriminator, layout, payload, fallback } = types.oneof(oneof);
  const add = (number: number, code: string, text: string) =>
    problems.add(oneof, [RULES, number], code, text);
  const names = oneof.fields.map((field) => field.name);
  const byConditions = oneof.fields.some((field) =>
    types.field(field).conditions.some(({ key }) => key !== ""),
  );
  const isLaidOut = layout !== undefined || payload !== "" || fallback !== "";
  const isUnwrapped = layout === "unwrapped";
  if (discriminator === "" && isLaidOut && !byConditions && !isUnwrapped) {
    add(
      RULE.discriminator.number,
      "discriminator",
      `the oneof ${nameOf(oneof)} has a layout but no discriminator`,
    );
  }
  if (fallback !== "" && !names.includes(fallback)) {
    add(
      RULE.fallback.number,
      "fallback",
      `the oneof ${nameOf(oneof)} has no member \`${fallback}\`${suggest(fallback, names)}`,
    );
  }
  if (layout !== "beside" && payload !== "") {
    const text = `payload of the oneof ${nameOf(oneof)} has no effect: its layout is not BESIDE; set layout: BESIDE, or remove payload`;
    add(RULE.payload.number, "no-effect", text);
  }
  if (isUnwrapped) checkUnwrapped(oneof, types, problems);
  if (discriminator !== "" && !isUnwrapped && isUnused(discriminator, oneof, types)) {
    const text = `discriminator of the oneof ${nameOf(oneof)} has no effect: every member has conditions on other keys; remove it, or the keys of the conditions`;
    add(RULE.discriminator.number, "no-effect", text);
  }
  if (layout === "beside" && payload === "") {
    add(
      RULE.payload.number,
      "payload",
      `the oneof ${nameOf(oneof)} has the layout BESIDE and must set \`payload\``,
    );
  }
  if (layout === "beside" && payload !== "" && payload === discriminator) {
    const text = `the key \`${payload}\` of the oneof ${nameOf(oneof)} cannot hold both the discriminator and the payload; set another payload`;
    add(RULE.payload.number, "payload", text);
  }
  // without a key, a condition of an unwrapped member tests the value itself
  const otherKey = isUnwrapped ? "the value" : discriminator;
  for (const field of oneof.fields) {
    if (layout === "nested" && discriminator !== "" && responseNames(field, types).includes(discriminator)) {
      const text = `${nameOf(field)} is read from the key \`${discriminator}\`, which is the discriminator of its oneof; set another name`;
      problems.add(field, [RULES, FieldRulesSchema.field.name.number], "name-twice", text);
    }
    const scalar = isFlattened(oneof, types) ? messageOf(field) : undefined;
    if (scalar !== undefined && (isScalarMessage(scalar) || types.tuple(scalar))) {
      const text = `${nameOf(field)} is a ${scalar.typeName}, which has no keys that could be next to the discriminator; set layout: NESTED or BESIDE, or put it into a message`;
      problems.add(oneof, [RULES, RULE.layout.number], "member-keys", text);
    }
    checkConditions(field, otherKey, types, problems);
    if (!isUnwrapped) checkPossible(field, oneof, types, problems);
  }
  const last = oneof.fields.find(({ name }) => name === fallback);
  if (last !== undefined && types.field(last).conditions.length > 0) {
    const text = `when of ${nameOf(last)} has no effect: the fallback is chosen where no other member is; remove it`;
    problems.add(last, [RULES, WHEN], "no-effect", text);
  }
  checkValues(oneof, types, problems);
  if (!isUnwrapped) checkReached(oneof, types, problems);
}

/** Reports whether other keys select all members that responses can contain. */
function isUnused(discriminator: string, { fields }: DescOneof, types: TypeModels): boolean {
  const byOthers = (field: DescField) => {
    const { conditions } = types.field(field);
    return conditions.length > 0 && conditions.every(({ key }) => key !== "" && key !== discriminator);
  };
  const { fallback } = types.oneof(fields[0]?.oneof as DescOneof);
  const chosen = fields.filter(({ name }) => name !== fallback);
  return chosen.length > 0 && chosen.every(byOthers);
}

/**
 * Reports conditions on the presence or type of a key that neither the member nor another field reads: the
 * value of the key would be lost.
 */
function checkHeld(oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const { parent } = oneof;
  const { layout, payload, discriminator } = types.oneof(oneof);
  if (layout === "unwrapped" || parent.fields.some((field) => types.field(field).unknown)) return;
  const others = parent.fields.filter((field) => field.oneof !== oneof);
  const read = new Set(others.flatMap((field) => firstKeysOf(field, types)));
  for (const field of oneof.fields) {
    const own = memberKeys(field, payload, types);
    if (own === undefined) continue;
    types.field(field).conditions.forEach((when, index) => {
      const path = when.key || discriminator;
      const [{ name = "" } = {}] = stepsOf(path);
      if (!testsOnly(when) || path === "" || pathFault(path, "no root") !== undefined) return;
      if (spellings(name).some((each) => read.has(each) || own.includes(each))) return;
      const remedy = responseNames(field, types).includes(name)
        ? "set layout: NESTED, so that the member is read from its own key"
        : `declare a field for \`${name}\``;
      const text = `the condition of ${nameOf(field)} tests \`${path}\`, which neither the member nor another field of ${parent.typeName} reads, so that its value would be lost; ${remedy}`;
      problems.add(field, [RULES, WHEN, index], "when-unread", text);
    });
  }
}

/** Returns the keys of the object that a member is read from; undefined if it may read every key. */
function memberKeys(field: DescField, payload: string, types: TypeModels): readonly string[] | undefined {
  const { oneof } = field;
  if (payload !== "") return spellings(payload);
  const isSpread = field.fieldKind === "message" && oneof !== undefined && isFlattened(oneof, types);
  return isSpread ? declaredKeys(field.message, types) : firstKeysOf(field, types);
}

/**
 * Reports members that no response can select: they read the key of another member, or nothing selects them.
 */
export function checkResponseOneofs(message: DescMessage, types: TypeModels, problems: Problems): void {
  for (const oneof of message.oneofs) {
    const { discriminator, layout, fallback } = types.oneof(oneof);
    checkHeld(oneof, types, problems);
    if (discriminator !== "" || layout === "unwrapped") continue;
    const members = oneof.fields.filter(({ name }) => name !== fallback);
    const isChosen = (field: DescField) => types.field(field).conditions.length > 0;
    const missing = (field: DescField, reason: string) => {
      const text = `${nameOf(field)} needs a condition: ${reason}; add e.g. when: {key: "x", type: "string"}`;
      problems.add(field, [RULES, WHEN], "when-missing", text);
    };
    if (members.some(isChosen)) {
      const reason = `the oneof \`${oneof.name}\` has no discriminator, and other members are chosen by theirs`;
      for (const field of members) if (!isChosen(field)) missing(field, reason);
      continue;
    }
    const readers = new Map<string, DescField>();
    for (const field of members.filter((member) => types.field(member).sources.length === 0)) {
      const names = responseNames(field, types);
      const other = names.map((name) => readers.get(name)).find((reader) => reader !== undefined);
      if (other !== undefined) {
        missing(field, `\`${other.name}\` of the oneof \`${oneof.name}\` reads the same key`);
      }
      for (const name of names) readers.set(name, readers.get(name) ?? field);
    }
  }
}

function checkConditions(
  field: DescField,
  discriminator: string,
  types: TypeModels,
  problems: Problems,
): void {
  types.field(field).conditions.forEach((when, index) => {
    checkCondition(when, discriminator, (place, code, text) =>
      problems.add(field, [RULES, WHEN, index, ...place], code, `the condition of ${nameOf(field)} ${text}`),
    );
  });
}

/** Reports values that never select a member, because fields that read the same key cannot have them. */
function checkPossible(field: DescField, oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const { discriminator, fallback } = types.oneof(oneof);
  const { conditions } = types.field(field);
  conditions.forEach(({ key, values = [] }, index) => {
    for (const [at, fault] of impossibleValues(
      { key: key || discriminator, values },
      oneof.parent,
      types,
      oneof,
    )) {
      const text = `the condition of ${nameOf(field)} never holds for \`${values[at]}\`: ${fault}`;
      problems.add(field, [RULES, WHEN, index, WhenSchema.field.values.number, at], "when-never", text);
    }
  });
  if (conditions.length > 0 || field.name === fallback) return;
  for (const [, fault] of impossibleValues(
    { key: discriminator, values: [field.name] },
    oneof.parent,
    types,
    oneof,
  )) {
    const text = `the discriminator never selects ${nameOf(field)} by its name: ${fault}; set when: {values: …}`;
    problems.add(field, [], "when-never", text);
  }
}

/** Reports a value that selects two members. A member without conditions is selected by its name. */
function checkValues(oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const chosen = new Map<string, DescField>();
  for (const field of oneof.fields) {
    for (const { signature, value } of choices(field, types.oneof(oneof), types)) {
      const other = chosen.get(signature);
      if (other !== undefined && other !== field) {
        const text = `\`${value}\` already selects \`${other.name}\` in the oneof ${nameOf(oneof)}`;
        problems.add(field, [RULES, WHEN], "when-twice", text);
      }
      chosen.set(signature, field);
    }
  }
}

/**
 * Reports conditions that never select their member, because the condition of an earlier member also holds
 * and is tried first.
 */
function checkReached(oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const { discriminator } = types.oneof(oneof);
  const keyOf = ({ key }: ConditionModel) => spellings(key || discriminator).at(-1);
  for (const [index, field] of oneof.fields.entries()) {
    types.field(field).conditions.forEach((when, place) => {
      // `checkValues` reports equal values
      const holdsFirst = (general: ConditionModel) =>
        (general.values ?? []).length === 0 && keyOf(general) === keyOf(when) && covers(general, when);
      const other = oneof.fields
        .slice(0, index)
        .find((earlier) => types.field(earlier).conditions.some(holdsFirst));
      if (other === undefined) return;
      const text = `the condition of ${nameOf(field)} can never hold: the condition of \`${other.name}\` also holds then, and is tried first; declare \`${field.name}\` before \`${other.name}\`, or correct a condition`;
      problems.add(field, [RULES, WHEN, place], "when-never", text);
    });
  }
}

function choices(
  field: DescField,
  { discriminator, fallback }: OneofModel,
  types: TypeModels,
): Array<{ readonly signature: string; readonly value: string }> {
  const { conditions } = types.field(field);
  if (conditions.length === 0) {
    if (discriminator === "" || field.name === fallback) return [];
    return [{ signature: JSON.stringify([discriminator, field.name, null, ""]), value: field.name }];
  }
  return conditions.flatMap(({ key, values = [], present, type = "" }) =>
    values.map((value) => ({
      signature: JSON.stringify([key || discriminator, value, present ?? null, type]),
      value,
    })),
  );
}
