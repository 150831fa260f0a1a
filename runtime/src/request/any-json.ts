import { type Registry, toJson } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import type { JsonValue } from "connect-rest-codec/internal";
import { knownTypes } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { violation, withPlace } from "./invalid-value.ts";
import { markAny } from "./untellable.ts";

/**
 * Encodes a google.protobuf.Any in a request as ProtoJSON.
 *
 * @throws ConnectError INVALID_ARGUMENT, reason TYPE_UNKNOWN, if the type of the Any is unknown or its bytes
 *   do not match the type
 */
export function anyJson(any: Any, types: () => Registry): JsonValue {
  const registry = knownTypes(types());
  try {
    return markAny(toJson(AnySchema, any, { registry }));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw withPlace("", { value: any }, (field) =>
      restError(
        "TYPE_UNKNOWN",
        { type: any.typeUrl, problem },
        { cause, ...(field !== "" && violation(field, problem)) },
      ),
    );
  }
}
