import { isJsonObject, type JsonValue } from "connect-rest-codec/internal";

/**
 * Marks the error of a google.longrunning.Operation as a google.rpc.Status by adding an empty list of
 * details. Elsewhere, only that list distinguishes a Status from other objects with a number.
 */
export function operationStatus(json: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(json) || json.done !== true || !isJsonObject(json.error)) return json;
  return { ...json, error: { details: [], ...json.error } };
}
