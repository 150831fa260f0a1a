import { RequestWriter, records, type ServiceAdapter, type UnaryAdapter, unary } from "connect-rest/adapter";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";

const rules: UnaryAdapter["rules"] = {
  upstream: "echo",
  base: "",
  credentials: ["api_key", "none"],
  apiKey: { header: "x-api-key" },
  errorShapes: [],
  errors: [],
  retryAfter: [],
  rawErrorBody: false,
  redirects: false,
  success: [],
  responseEncoding: "json",
  scopes: [],
  idempotent: true,
};

/** An adapter as the generator writes them, for an upstream that responds with the text it is sent. */
export const EchoServiceRest: ServiceAdapter<typeof EchoService> = {
  service: EchoService,
  methods: {
    echo: unary(EchoService.method.echo, {
      rules,
      request: ({ text }) => {
        const request = new RequestWriter("POST", "/echo");
        request.json({ text });
        return request;
      },
      response: (answer, out) =>
        out.root(answer.payload, (json, writer) => writer.string(1, json.text, "text")),
    }),
  },
  comments: {
    service: "Answers with <what> it is given.",
    methods: { echo: "Answers once." },
  },
};

/** The same with a server stream, of lines of JSON. */
export const EchoStreamsRest: ServiceAdapter<typeof EchoService> = {
  ...EchoServiceRest,
  methods: {
    ...EchoServiceRest.methods,
    repeat: records(EchoService.method.repeat, {
      rules,
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
