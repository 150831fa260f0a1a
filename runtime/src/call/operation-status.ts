import { isJsonObject, type JsonValue } from "connect-rest-codec/internal";

/**
 * Returns the error of a google.longrunning.Operation, which is a google.rpc.Status. In other places, only
 * the list of details distinguishes a Status from other objects with a number.
 */
export function operationStatus(json: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(json) || json.done !== true || !isJsonObject(json.error)) return json;
  return { ...json, error: { details: [], ...json.error } };
}
