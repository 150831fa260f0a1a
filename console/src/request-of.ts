import type { DescMessage, DescMethod, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isRequired } from "./constraints.ts";
import { controlOf, elementOf, initialValue, withFieldValue } from "./element.ts";
import type { Schema } from "./schema.ts";

/** The depth to which required messages are filled in. */
const MAX_DEPTH = 4;

/** Returns the first request of a method: the configured example, or else its required fields. */
export function requestOf(schema: Schema, method: DescMethod): JsonValue {
  return schema.example(method) ?? requiredFields(schema, method.input, MAX_DEPTH);
}

function requiredFields(schema: Schema, desc: DescMessage, depth: number): JsonObject {
  const required = desc.fields.filter((field) => isRequired(schema.constraints(field)));
  return required.reduce<JsonObject>((json, field) => {
    if (field.fieldKind === "list") return withFieldValue(json, field, []);
    if (field.fieldKind === "map") return withFieldValue(json, field, {});
    const element = elementOf(field);
    const isMessage = controlOf(element) === "message" && depth > 0 && element.message !== undefined;
    const value = isMessage ? requiredFields(schema, element.message, depth - 1) : initialValue(element);
    return withFieldValue(json, field, value);
  }, {});
}
