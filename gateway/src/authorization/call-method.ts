import { fromBinary, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { CallMethod } from "connect-rest-authorization";
import type { Rest } from "connect-rest-runtime";
import type { UnaryAdapter } from "connect-rest-runtime/internal";
import { gatewayError } from "../call/gateway-error.ts";
import { methodPath } from "../call/method-path.ts";
import { withCredentials } from "../credentials/session-credentials.ts";

/** The timeout of a call for a sign-in or a session, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Creates a function that calls adapter methods for sign-ins and sessions, not on behalf of a caller. */
export function createCallMethod(rest: () => Rest): CallMethod {
  return async (name, request, credentials) => {
    const { types } = rest();
    const adapter = unaryAdapter(rest(), name);
    const { input, output } = adapter.method;
    const message = fromJson(input, (request ?? {}) as JsonValue, { registry: types });
    const call = () => rest().call(adapter, message, { timeoutMs: TIMEOUT_MS });
    const { bytes } = await withCredentials(credentials, call);
    return toJson(output, fromBinary(output, bytes), { registry: types });
  };
}

function unaryAdapter({ adapters }: Rest, name: string): UnaryAdapter {
  for (const { methods } of adapters) {
    for (const adapter of Object.values(methods)) {
      if (adapter.kind === "unary" && methodPath(adapter.method) === name) return adapter;
    }
  }
  // the configuration check reports unknown methods
  throw gatewayError("METHOD_UNKNOWN", `no adapter has a unary method ${name}`, Code.Unimplemented);
}
