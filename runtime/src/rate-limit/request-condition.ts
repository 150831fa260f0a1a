import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { MethodRules, RequestCondition } from "../adapter/rules.ts";

/** Returns the rules of a method, with only the rate limits that count this request. */
export function rulesOfRequest(
  rules: MethodRules,
  desc: DescMessage,
  message: MessageShape<DescMessage> | undefined,
): MethodRules {
  const { rateLimits } = rules;
  if (message === undefined || rateLimits === undefined) return rules;
  if (rateLimits.every(({ when }) => when === undefined)) return rules;
  const request = reflect(desc, message);
  return {
    ...rules,
    rateLimits: rateLimits.filter(({ when }) => when === undefined || meets(request, when)),
  };
}

/**
 * Reports whether a request meets a condition. A field with its default value counts as absent, unless it has
 * explicit presence.
 */
function meets(request: ReflectMessage, { field, values, present }: RequestCondition): boolean {
  const found = valuesAt(request, field.split("."));
  if (present !== undefined && present !== (found !== undefined)) return false;
  return values === undefined || (found?.some((value) => values.includes(value)) ?? false);
}

/**
 * Returns the values of a field as strings, one per item of a repeated field, or undefined if the field is
 * absent.
 */
function valuesAt(message: ReflectMessage, [name, ...below]: readonly string[]): string[] | undefined {
  const field = message.fields.find((candidate) => candidate.name === name);
  if (field === undefined || !message.isSet(field)) return undefined;
  if (field.fieldKind === "message" && below.length > 0) return valuesAt(message.get(field), below);
  if (field.fieldKind === "list") return [...message.get(field)].map((item) => textOf(item, field));
  return [textOf(message.get(field), field)];
}

function textOf(value: unknown, field: DescField): string {
  const enumeration = "enum" in field ? field.enum : undefined;
  return enumeration?.value[Number(value)]?.name ?? String(value);
}
