import { isJsonObject, type JsonValue } from "connect-rest-codec/internal";

/**
 * The error of a google.longrunning.Operation is a google.rpc.Status, which elsewhere is told from other
 * objects with a number by its list of details.
 */
export function operationStatus(json: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(json) || json.done !== true || !isJsonObject(json.error)) return json;
  return { ...json, error: { details: [], ...json.error } };
}
