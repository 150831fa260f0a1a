/** Checks conditions on JSON objects. */
import type { OptionPath } from "../diagnostics/problem.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { WhenSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { pathFault } from "./syntax.ts";

const TYPES: readonly string[] = ["string", "number", "boolean", "object", "array"];

/** A condition, as a model or as it is written. */
interface Condition {
  readonly key: string;
  readonly values?: readonly string[];
  readonly present?: boolean | undefined;
  readonly type?: string;
}

/**
 * Reports faults of a condition; texts go on from what it is the condition of.
 *
 * @param otherKey what is looked at where the condition names no key; empty for nothing
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
