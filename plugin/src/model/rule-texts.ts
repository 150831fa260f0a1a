/** The texts that rules hold, whatever rules they are. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";

/** One text of a rule. */
export interface RuleText {
  /** The field of the annotation language that holds it, e.g. `connectrest.v1.ApiKey.prefix`. */
  readonly field: string;
  /** As people would look for it in the rules of an element: `api_key.prefix`. */
  readonly name: string;
  /** Where it stands in the rules, as field numbers and indices. */
  readonly place: readonly number[];
  readonly text: string;
}

/**
 * All texts that are set in a message of the annotation language, with those of messages in it.
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

/** What a message holds in a field, as protobuf-es lays messages out. */
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
