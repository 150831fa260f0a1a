/** Checks conditions on the request message. */
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { OptionPath } from "../diagnostics/problem.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { type When, WhenSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { resolveFieldPath } from "../model/field-path.ts";
import type { Frozen } from "../model/freeze.ts";

const { field: WHEN } = WhenSchema;

/**
 * Reports faults in a condition on a request. Each fault continues a sentence whose subject is the condition.
 */
export function checkRequestCondition(
  { key, values, present, type }: Frozen<When>,
  request: DescMessage,
  add: (place: OptionPath, code: string, text: string) => void,
): void {
  if (type !== "") {
    add(
      [WHEN.type.number],
      "when-request",
      "has a JSON type, which fields of a request do not have; remove type",
    );
  } else if (values.length === 0 && present === undefined) {
    add([], "when-empty", "is empty; set values or present");
  }
  if (present === false && values.length > 0) {
    add(
      [WHEN.present.number],
      "when-request",
      "never holds: an absent field has no value; remove present or values",
    );
  }
  if (key === "") {
    add([], "when-key", "has no key; set it to the path of a field of the request");
    return;
  }
  const { fields, fault } = resolveFieldPath(request, key);
  if (fault !== undefined) {
    add([WHEN.key.number], "when-request", `cannot be checked: ${fault}`);
    return;
  }
  const field = fields.at(-1) as DescField;
  values.forEach((value, index) => {
    const problem = valueFault(value, field);
    if (problem !== undefined) add([WHEN.values.number, index], "when-request", problem);
  });
}

/**
 * Returns the reason why a field can never have the given value; undefined if the field can have the value.
 */
function valueFault(value: string, field: DescField): string | undefined {
  if (field.fieldKind === "map" || ("message" in field && field.message !== undefined)) {
    return `compares \`${field.name}\`, which is not a scalar or an enum, with a value; use present`;
  }
  if ("enum" in field && field.enum !== undefined) {
    const names = field.enum.values.map(({ name }) => name);
    if (names.includes(value)) return undefined;
    return `never holds: the enum ${field.enum.typeName} has no value \`${value}\`${suggest(value, names)}`;
  }
  const expected = "scalar" in field ? expectedText(value, field.scalar) : undefined;
  if (expected === undefined) return undefined;
  return `never holds: expected ${expected}, got \`${value}\``;
}

/** Returns the notation that a scalar requires; undefined if the value has this notation. */
function expectedText(value: string, scalar: ScalarType | undefined): string | undefined {
  switch (scalar) {
    case ScalarType.STRING:
      return undefined;
    case ScalarType.BYTES:
      return "a field that is not of type bytes";
    case ScalarType.BOOL:
      return value === "true" || value === "false" ? undefined : "`true` or `false`";
    default:
      return value !== "" &&
        String(Number(value)) === value.replace(/^-?\d{16,}$/, (text) => String(Number(text)))
        ? undefined
        : "a number";
  }
}
