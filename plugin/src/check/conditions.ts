/** Checks conditions on JSON objects. */
import type { OptionPath } from "../diagnostics/problem.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { WhenSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { pathFault } from "./syntax.ts";

const TYPES: readonly string[] = ["string", "number", "boolean", "object", "array"];

/** A condition, in the form of the model or of the option. */
interface Condition {
  readonly key: string;
  readonly values?: readonly string[];
  readonly present?: boolean | undefined;
  readonly type?: string;
}

/**
 * Reports faults in a condition. Each fault continues a sentence whose subject is the condition.
 *
 * @param otherKey the key that is tested if the condition does not name a key; empty if no such key exists
 */
export function checkCondition(
  when: Condition,
  otherKey: string,
  add: (place: OptionPath, code: string, text: string) => void,
): void {
  const { key, type = "" } = when;
  if (isEmpty(when)) {
    add([], "when-empty", "is empty; set values, present or type");
  } else if (key === "" && otherKey === "") add([], "when-key", "has no key; set key");
  const reason = contradiction(when);
  if (reason !== undefined) add([], "when-never", `can never hold: ${reason}`);
  const fault = key === "" ? undefined : pathFault(key, "no root");
  if (fault !== undefined) add([WhenSchema.field.key.number], "dotted-path", `cannot be checked: ${fault}`);
  if (type !== "" && !TYPES.includes(type)) {
    add(
      [WhenSchema.field.type.number],
      "when-type",
      `has an unknown JSON type: expected ${TYPES.join(", ")}, got \`${type}\`${didYouMean(type, TYPES)}`,
    );
  }
}

/** Returns the reason why a condition can never hold, or undefined if it can. */
function contradiction({ values = [], present, type = "" }: Condition): string | undefined {
  if (present === false && (values.length > 0 || type !== "")) {
    return "an absent key has no value; remove present, or values and type";
  }
  if (values.length === 0) return undefined;
  if (type === "object" || type === "array") {
    return `values are strings, numbers and booleans, and the type is \`${type}\`; remove values or type`;
  }
  const notation = NOTATIONS[type];
  if (notation === undefined || values.some((value) => notation.test(value))) return undefined;
  return `no ${type} is written \`${values.join("` or `")}\`; correct values or type`;
}

export const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The notations of values by JSON type. */
const NOTATIONS: Readonly<Record<string, RegExp>> = {
  boolean: /^(?:true|false)$/,
  number: NUMBER,
};

/** Reports whether a general condition holds whenever a more specific condition on the same key holds. */
export function covers(general: Condition, specific: Condition): boolean {
  const { values = [], present, type = "" } = general;
  const { values: own = [], type: ownType = "" } = specific;
  if (values.length > 0 && (own.length === 0 || !own.every((value) => values.includes(value)))) return false;
  if (type !== "" && ownType !== type) return false;
  if (present === undefined) return true;
  return present ? specific.present === true || own.length > 0 || ownType !== "" : specific.present === false;
}

/** Reports whether a sound condition tests the presence or the type of a key, and not its value. */
export function testsOnly({ values = [], present, type = "" }: Condition): boolean {
  return values.length === 0 && present !== false && (present === true || TYPES.includes(type));
}

function isEmpty({ values = [], present, type = "" }: Condition): boolean {
  return values.length === 0 && present === undefined && type === "";
}
