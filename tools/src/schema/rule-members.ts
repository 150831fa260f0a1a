import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ValidateRules } from "protoc-gen-connect-rest/kit";

/** A member that is an object; empty where there is none. */
export function member(rules: JsonObject | undefined, name: string): JsonObject {
  const value = rules?.[name];
  return isObject(value) ? value : {};
}

/** The members of a list that are objects. */
export function objects(rules: JsonObject | undefined, name: string): JsonObject[] {
  const value = rules?.[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The messages of rules written in CEL, which no keyword can say. */
export function celHints(rules: ValidateRules | undefined): string[] {
  return objects(rules, "cel").flatMap(({ message }) =>
    typeof message === "string" && message !== "" ? [sentence(message)] : [],
  );
}

/** A text as a sentence: with a capital letter and a full stop. */
function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? "" : ".");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
