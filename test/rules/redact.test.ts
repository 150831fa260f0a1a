import { inspect } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { startGateway } from "../../gateway/src/gateway.ts";
import { createLogger } from "../../gateway/src/log/logger.ts";
import { redactedValues } from "../../runtime/src/errors/redacted-fields.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { AnswerService, GetSourcesRequestSchema } from "../gen/rules/v1/answers_pb.ts";
import { AnswerServiceRest } from "../gen/rules/v1/answers_rest.ts";
import { type Answer, start } from "./world.ts";

const CANARY = "canary-42/of a field";

const WHOLE = { depth: 3, maxStringLength: null };

/** Responses in which an upstream repeats a value from the request. */
const echoes: Record<string, Answer> = {
  "a text": { status: 404, headers: { "content-type": "text/plain" }, body: `no such thing: ${CANARY}` },
  "a title": { status: 400, json: { errors: [{ title: CANARY, code: CANARY, detail: "is wrong" }] } },
  "a redirect": { status: 302, headers: { location: `https://b.example/?s=${encodeURIComponent(CANARY)}` } },
  "a google.rpc.Status": {
    status: 400,
    json: {
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: `bad ${CANARY}`,
        details: [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "R", metadata: { secret: CANARY } },
        ],
      },
    },
  },
  "a crash": { status: 500, headers: { "content-type": "text/plain" }, body: `stack of ${CANARY}` },
};

test.each(Object.entries(echoes))(
  "a redacted field is not in the error when the upstream repeats its value in %s",
  async (_, answer) => {
    const { client, seen } = await start(AnswerService, AnswerServiceRest, answer);
    const error = await failureOf(client.getSources({ secret: CANARY }));
    expect(seen[0]?.line).toContain(encodeURIComponent(CANARY));
    expect(error.details.length).toBeGreaterThan(0);
    const texts = [error.message, inspect(error.cause), ...error.details.map((each) => inspect(each, WHOLE))];
    for (const text of texts) expect(text).not.toContain("canary-42");
  },
);

test("no log line, metric or response of a gateway has the value of a redacted field", async () => {
  const answers = Object.values(echoes);
  const { origin } = await start(AnswerService, AnswerServiceRest, [...answers, { json: {} }]);
  const lines: string[] = [];
  const gateway = await startGateway({
    adapters: [AnswerServiceRest],
    upstreams: { rules: { baseUrl: origin, retry: false } },
    metrics: { port: 0 },
    limits: { drainNoticeMs: 1 },
    log: createLogger("trace", { write: (line: string) => lines.push(line) }),
  });
  const client = createClient(
    AnswerService,
    createConnectTransport({ baseUrl: gateway.url, httpVersion: "1.1" }),
  );
  const errors: string[] = [];
  for (const _ of answers) {
    const error = await failureOf(client.getSources({ secret: CANARY }));
    const details = error.details.map((each) => ("type" in each ? Buffer.from(each.value).toString() : ""));
    errors.push([error.message, ...details].join("\n"));
  }
  await client.getSources({ secret: CANARY });
  const metrics = await (await fetch(gateway.metricsUrl ?? "")).text();
  await gateway.close();
  expect(lines.length).toBeGreaterThanOrEqual(answers.length + 1);
  for (const text of [...lines, ...errors, metrics]) expect(text).not.toContain("canary-42");
});

test("only the values of marked fields are redacted", () => {
  const message = { $typeName: "rules.v1.GetSourcesRequest", secret: "s" } as const;
  expect(redactedValues(GetSourcesRequestSchema, message).map((value) => value.reveal())).toEqual(["s"]);
});
