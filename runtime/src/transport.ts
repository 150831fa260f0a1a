import type { DescMethod } from "@bufbuild/protobuf";
import { fromBinary } from "@bufbuild/protobuf";
import {
  createContextValues,
  type Interceptor,
  type Transport,
  type UnaryRequest,
} from "@connectrpc/connect";
import { runUnaryCall } from "@connectrpc/connect/protocol";
import type { Deadline } from "./deadline.ts";
import { fullName, type Route } from "./directory.ts";
import { restError } from "./errors/rest-error.ts";
import type { Invocation, Outcome } from "./invoke.ts";

/** What the transport stands on. */
export interface TransportParts {
  find(method: DescMethod): Route | undefined;
  deadline(route: Route, timeoutMs: number | undefined, signal: AbortSignal | undefined): Deadline;
  invoke(route: Route, call: Invocation): Promise<Outcome>;
  readonly interceptors: Interceptor[] | undefined;
}

/**
 * A Connect transport over adapters. As with other transports, a timeout of 0 or less takes off the caller's
 * deadline; the method's own and the default one stay.
 */
export function createTransport(parts: TransportParts): Transport {
  return {
    async unary(method, signal, timeoutMs, header, message, contextValues) {
      const route = findRoute(parts, method);
      const deadline = parts.deadline(
        route,
        timeoutMs !== undefined && timeoutMs > 0 ? timeoutMs : undefined,
        signal,
      );
      const req = {
        stream: false as const,
        service: method.parent,
        method,
        requestMethod: "POST",
        url: `connect-rest:///${method.parent.typeName}/${method.name}`,
        header: new Headers(header),
        contextValues: contextValues ?? createContextValues(),
        message,
      };
      const next = async ({
        message,
        header,
        signal,
      }: UnaryRequest<typeof method.input, typeof method.output>) => {
        const outcome = await parts.invoke(route, { message, header, signal });
        return {
          stream: false as const,
          service: method.parent,
          method,
          header: outcome.header,
          trailer: new Headers(),
          message: fromBinary(method.output, outcome.bytes),
        };
      };
      try {
        const interceptors = parts.interceptors ?? [];
        return await runUnaryCall({ req, next, interceptors, signal: deadline.signal });
      } finally {
        deadline.done();
      }
    },
    async stream(method) {
      throw restError("METHOD_NOT_MAPPED", { method: fullName(method) });
    },
  };
}

function findRoute(parts: TransportParts, method: DescMethod): Route {
  const route = parts.find(method);
  if (route === undefined) throw restError("METHOD_NOT_MAPPED", { method: fullName(method) });
  return route;
}
