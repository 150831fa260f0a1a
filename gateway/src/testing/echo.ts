import { create, type DescMethod, toBinary } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import type { UnaryMethod } from "../fast-path/call-unary.ts";
import { type EchoRequest, EchoResponseSchema, EchoService } from "../gen/echo/v1/echo_pb.ts";

/**
 * Registers a service for the gateway's tests. The service responds with the text of its requests. It never
 * responds to the text "never", even after its signal is aborted.
 */
export function echoRoutes(router: ConnectRouter): void {
  router.service(EchoService, {
    echo: (request) => (request.text === "never" ? deaf() : { text: request.text }),
    async *repeat(request) {
      for (let i = 0; request.count === 0 || i < request.count; i++) yield { text: request.text };
    },
    async join(requests) {
      let text = "";
      for await (const request of requests) text += request.text;
      return { text };
    },
    async *talk(requests) {
      for await (const request of requests) yield { text: request.text };
    },
  });
}

/** The echo service as server options; its unary method takes the fast path, as in a gateway. */
export const echoService = {
  // tests use various host names
  hosts: ["*"],
  console: true,
  routes: echoRoutes,
  unaryOf: (method: DescMethod): UnaryMethod | undefined =>
    method === EchoService.method.echo ? echo : undefined,
};

const echo: UnaryMethod = async (message) => {
  const { text } = message as EchoRequest;
  if (text === "never") return deaf();
  const bytes = toBinary(EchoResponseSchema, create(EchoResponseSchema, { text }));
  return { bytes, header: new Headers() };
};

function deaf(): Promise<never> {
  return new Promise(() => undefined);
}
