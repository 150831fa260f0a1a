import { RequestWriter, records, type ServiceAdapter } from "connect-rest-runtime/adapter";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { EchoServiceRest, echoRules } from "./echo-rest.ts";

/** The adapter of `echo-rest.ts` with a server stream, of lines of JSON. */
export const EchoStreamsRest: ServiceAdapter<typeof EchoService> = {
  ...EchoServiceRest,
  methods: {
    ...EchoServiceRest.methods,
    repeat: records(EchoService.method.repeat, {
      rules: echoRules,
      format: "lines",
      end: [],
      request: ({ text, count }) => {
        const request = new RequestWriter("POST", "/repeat");
        request.json({ text, count });
        return request;
      },
      item: (json, writer) => writer.string(1, json.text, "text"),
    }),
  },
};
