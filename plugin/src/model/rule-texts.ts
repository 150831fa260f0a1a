/** Collects the strings in rules of all kinds. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";

/** A string in a rule. */
export interface RuleText {
  /**
   * The field of the annotation language that contains the string, for example
   * `connectrest.v1.ApiKey.prefix`.
   */
  readonly field: string;
  /** The path to the string in the rules of an element: `api_key.prefix`. */
  readonly name: string;
  /** The position in the rules, as field numbers and indices. */
  readonly place: readonly number[];
  readonly text: string;
}

/**
 * Returns all strings in a message of the annotation language, including nested messages.
 *
 * @param rules a message of that type
 */
export function ruleTexts(type: DescMessage, rules: object): RuleText[] {
  return type.fields.flatMap((field) => {
    const value = heldIn(field, rules);
    if (!Array.isArray(value)) return textsOf(field, value, []);
    return value.flatMap((item: unknown, index) => textsOf(field, item, [index]));
  });
}

/** Returns the value of a field in a message of protobuf-es. */
function heldIn({ oneof, localName }: DescField, rules: object): unknown {
  const { [oneof?.localName ?? localName]: value } = rules as Readonly<Record<string, unknown>>;
  if (oneof === undefined) return value;
  const member = value as { readonly case?: string; readonly value?: unknown };
  return member.case === localName ? member.value : undefined;
}

function textsOf(field: DescField, value: unknown, index: readonly number[]): RuleText[] {
  const place = [field.number, ...index];
  if (typeof value === "string" && value !== "") {
    return [{ field: `${field.parent.typeName}.${field.name}`, name: field.name, place, text: value }];
  }
  if (field.message === undefined || typeof value !== "object" || value === null) return [];
  return ruleTexts(field.message, value).map((inner) => ({
    ...inner,
    name: `${field.name}.${inner.name}`,
    place: [...place, ...inner.place],
  }));
}
