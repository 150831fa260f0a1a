import { RequestWriter, type ServiceAdapter, type UnaryAdapter, unary } from "connect-rest-runtime/adapter";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";

/** The rules of the adapter's methods. */
export const echoRules: UnaryAdapter["rules"] = {
  upstream: "echo",
  base: "",
  credentials: ["api_key", "basic", "none"],
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

/**
 * An adapter like those that the generator writes, for an upstream that responds with the text of the
 * request.
 */
export const EchoServiceRest: ServiceAdapter<typeof EchoService> = {
  service: EchoService,
  methods: {
    echo: unary(EchoService.method.echo, {
      rules: echoRules,
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
