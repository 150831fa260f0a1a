import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  smallJson,
  valueAt,
} from "connect-rest-codec/internal";
import { EndpointError } from "./endpoint-error.ts";
import type { EndpointResponse } from "./tokens.ts";

/**
 * Returns the JSON object in a successful response. Omits members that are `null`, `false` or empty, since
 * many servers send such members instead of omitting them.
 *
 * @throws EndpointError for an error status, or for an `error` in the object, which some servers send with
 *   status 200
 */
export function readEndpointJson(response: EndpointResponse): JsonObject {
  const { status } = response;
  const value = smallJson(new TextDecoder().decode(response.body));
  const isSuccess = status >= 200 && status <= 299;
  const code = isJsonObject(value) ? textOf(value.error) : undefined;
  if (!isSuccess || code !== undefined) throw endpointError(response, value, code);
  if (!isJsonObject(value)) {
    throw new EndpointError(`expected a JSON object with status ${status}, got ${kindOf(value)}`, { status });
  }
  const entries = Object.entries(value).filter(([, each]) => each !== null && each !== false && each !== "");
  return Object.fromEntries(entries);
}

function endpointError(
  response: EndpointResponse,
  value: JsonValue | undefined,
  code: string | undefined,
): EndpointError {
  const { status } = response;
  const detail = descriptionOf(value);
  const words = [code ?? `status ${status}`, detail].filter((word) => word !== undefined);
  return new EndpointError(words.join(": "), { code, status, retryAfter: response.header("retry-after") });
}

/**
 * Returns the text of an error in the format of RFC 6749, or in a format that other APIs use: `{"errors":
 * [{"detail": …}]}`, `{"message": …}`.
 */
function descriptionOf(value: JsonValue | undefined): string | undefined {
  const texts = ["error_description", "errors.0.detail", "errors.0.message", "message", "meta.msg"];
  for (const path of texts) {
    const text = isJsonObject(value) ? textOf(valueAt(value, path)) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function kindOf(value: JsonValue | undefined): string {
  if (value === undefined) return "something else";
  return value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
