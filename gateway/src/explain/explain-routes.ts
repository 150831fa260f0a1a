import type { DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import { Code, type ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import type { Rest } from "connect-rest-runtime";
import { callKey } from "../call/call.ts";
import { gatewayError } from "../call/gateway-error.ts";
import { methodPath } from "../call/method-path.ts";
import {
  type ExplainRequest,
  type ExplainResponseSchema,
  ExplainService,
} from "../gen/connectrest/explain/v1/explain_pb.ts";
import type { CallOptions } from "../rpc/call-options.ts";
import { InnerCalls } from "../rpc/inner-calls.ts";
import { show } from "../text/show.ts";
import { explainResponse } from "./explain-response.ts";
import { isReadOnly } from "./read-only.ts";

type Response = MessageInitShape<typeof ExplainResponseSchema>;

/** Adds the service that explains calls of the adapters. */
export function explainRoutes(router: ConnectRouter, rest: Rest, options: () => CallOptions): void {
  const methods = new Map(
    rest.adapters.flatMap((adapter) =>
      Object.values(adapter.methods).map(({ method }): [string, DescMethod] => [methodPath(method), method]),
    ),
  );
  router.service(ExplainService, {
    explain: async (request, context) => {
      const method = methods.get(request.method);
      if (method === undefined) {
        throw gatewayError(
          "METHOD_UNKNOWN",
          `no method ${show(request.method)} is served here`,
          Code.NotFound,
        );
      }
      return explain(method, request, context, rest, new InnerCalls(options()));
    },
  });
}

async function explain(
  method: DescMethod,
  request: ExplainRequest,
  context: HandlerContext,
  rest: Rest,
  calls: InnerCalls,
): Promise<Response> {
  const call = context.values.get(callKey);
  if (call === undefined) throw new Error("an explanation is requested outside of a call");
  calls.authorize(call, method);
  const message = await calls.read(method, request.message);
  const options = {
    header: context.requestHeader,
    signal: context.signal,
    hasCallerDeadline: call.deadline.isClientBound,
  };
  const dry = await rest.explain(method, message, options);
  const [first] = dry.requests;
  if (!request.send || first === undefined) return explainResponse(dry);
  if (!request.confirm && !isReadOnly(method, first.verb)) throw unconfirmed(method, first.verb);
  const sent = await calls.run(call, method, context.signal, (signal) =>
    rest.explain(method, message, { ...options, signal, send: true }),
  );
  return explainResponse(sent);
}

function unconfirmed(method: DescMethod, verb: string): ConnectError {
  const text = `${methodPath(method)} sends ${verb} and may change data; set confirm to send it`;
  return gatewayError("CONFIRMATION_MISSING", text, Code.FailedPrecondition);
}
