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
 * @param otherKey the key that is tested if the condition names none; empty for no key
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

function isEmpty({ values = [], present, type = "" }: Condition): boolean {
  return values.length === 0 && present === undefined && type === "";
}
