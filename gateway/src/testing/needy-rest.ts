import { RequestWriter, type ServiceAdapter, unary } from "connect-rest-runtime/adapter";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { echoRules } from "./echo-rest.ts";

/** The adapter of the echo service, except that each call requires an API key. */
export const EchoServiceRest: ServiceAdapter<typeof EchoService> = {
  service: EchoService,
  methods: {
    echo: unary(EchoService.method.echo, {
      rules: { ...echoRules, credentials: ["api_key"] },
      request: () => new RequestWriter("POST", "/echo"),
    }),
  },
};
