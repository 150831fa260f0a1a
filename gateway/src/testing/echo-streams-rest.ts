import { RequestWriter, records, type ServiceAdapter, table } from "connect-rest-runtime/adapter";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { EchoServiceRest, echoRules } from "./echo-rest.ts";

/** The table of a response, which contains one string. */
export const EchoTable = table("echo.v1.EchoResponse", () => [[1, "string", "text"]]);

/** The adapter of `echo-rest.ts` with an additional server stream that reads JSON lines. */
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
      item: EchoTable,
    }),
  },
};
