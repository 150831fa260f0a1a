import { StructSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { retryDelayOf } from "../../runtime/src/errors/retry-info.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { ErrorService } from "../gen/rules/v1/errors_pb.ts";
import { ErrorServiceRest } from "../gen/rules/v1/errors_rest.ts";
import { type Answer, start } from "./world.ts";

async function failed(answer: Answer, retry: false | object = false): Promise<ConnectError> {
  const { client } = await start(ErrorService, ErrorServiceRest, answer, { upstream: { retry } });
  return await failureOf(client.getDetailed({ id: "1" }));
}

const violationsOf = (error: ConnectError) =>
  error
    .findDetails(BadRequestSchema)
    .flatMap(({ fieldViolations }) =>
      fieldViolations.map(({ field, description, reason }) => [field, description, reason]),
    );

const problem = (pointer: unknown, title?: unknown, code?: unknown) => ({ source: { pointer }, title, code });

test("if one item names a field, all items become violations", async () => {
  const problems = [
    problem("/data/title", "is too long", "tooLong"),
    problem(["body", "tags", 0], "is empty", 17),
    { title: "is stale" },
    "a text alone",
    problem("isbn"),
  ];
  const error = await failed({ status: 422, json: { problems } });
  expect(violationsOf(error)).toEqual([
    ["data.title", "is too long", "TOO_LONG"],
    ["body.tags[0]", "is empty", "CODE_17"],
    ["", "is stale", ""],
    ["", "a text alone", ""],
    ["isbn", '{"source":{"pointer":"isbn"}}', ""],
  ]);
  expect(error.rawMessage).toBe(
    "upstream rules responded with 422 Unprocessable Content: is too long; is empty; is stale; a text alone",
  );
  expect(error.findDetails(ErrorInfoSchema)[0]?.metadata.subcode).toBe("tooLong");
});

test("items do not become violations if none of them names a field", async () => {
  const error = await failed({ status: 422, json: { problems: [{ title: "a" }, { title: "b" }] } });
  expect([violationsOf(error), error.rawMessage]).toEqual([
    [],
    "upstream rules responded with 422 Unprocessable Content: a; b",
  ]);
});

test("a map from fields to texts becomes a list of violations", async () => {
  const fields = {
    title: ["is too long", "has no vowels"],
    isbn: "is taken",
    author: { name: ["is empty"] },
    tags: [{ text: "is empty" }],
  };
  expect(violationsOf(await failed({ status: 422, json: { fields } }))).toEqual([
    ["title", "is too long", ""],
    ["title", "has no vowels", ""],
    ["isbn", "is taken", ""],
    ["author.name", "is empty", ""],
    ["tags[0].text", "is empty", ""],
  ]);
});

test("property: every item up to the limit becomes a violation, and the last violation counts the omitted items", async () => {
  const item = fc.oneof(
    fc.string(),
    fc.record(
      { title: fc.jsonValue({ maxDepth: 1 }), code: fc.jsonValue({ maxDepth: 1 }) },
      { requiredKeys: [] },
    ),
    fc.record({ source: fc.record({ pointer: fc.string({ minLength: 1 }) }), title: fc.string() }),
  );
  let answer: Answer = {};
  const { client } = await start(ErrorService, ErrorServiceRest, () => answer, {
    upstream: { retry: false },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 60 }), async (items) => {
      const problems = [problem("f", "t"), ...items];
      answer = { status: 422, json: { problems } };
      const violations = violationsOf(await failureOf(client.getDetailed({ id: "1" })));
      expect(violations).toHaveLength(Math.min(problems.length, 51));
      if (problems.length > 50) {
        expect(violations.at(-1)).toEqual(["", `${problems.length - 50} more errors are left out`, ""]);
      }
    }),
    { numRuns: 40, interruptAfterTimeLimit: 5000 },
  );
});

test("the total size of violations is limited, and the last violation counts the omitted items", async () => {
  const problems = Array.from({ length: 50 }, (_, index) => problem(`f${index}`, "ä".repeat(1000)));
  const violations = violationsOf(await failed({ status: 422, json: { problems } }));
  const count = violations.length - 1;
  expect(count).toBeGreaterThan(5);
  expect(violations.at(-1)).toEqual(["", `${50 - count} more errors are left out`, ""]);
  expect(Buffer.byteLength(JSON.stringify(violations))).toBeLessThan(9000);
});

test("body keys that a rule names become metadata of the error", async () => {
  const trace = { id: "r-17", n: 3 };
  const error = await failed({ status: 409, json: { message: "no", trace } });
  expect(error.findDetails(ErrorInfoSchema)[0]?.metadata).toEqual({
    http_status: "409",
    id: "r-17",
    whole_trace: JSON.stringify(trace),
  });
  const long = await failed({ status: 409, json: { trace: { id: "x".repeat(5000) } } });
  expect(long.findDetails(ErrorInfoSchema)[0]?.metadata.id).toHaveLength(1000);
  const none = await failed({ status: 409, json: { trace: { id: null } } });
  expect(none.findDetails(ErrorInfoSchema)[0]?.metadata).not.toHaveProperty("id");
});

test.each<[string, Answer, number | undefined]>([
  ["milliseconds in the body", { status: 429, json: { wait_ms: 1500 } }, 1500],
  ["milliseconds in the body, as a string", { status: 429, json: { wait_ms: "250" } }, 250],
  [
    "seconds in the body, by a condition",
    { status: 429, headers: { "X-Limited": "1" }, json: { wait: 1.5 } },
    1500,
  ],
  ["seconds in the body, without the condition", { status: 429, json: { wait: 1.5 } }, undefined],
  ["milliseconds in a header", { status: 503, headers: { "Retry-After-Ms": "30" }, json: {} }, 30],
  ["an object in the body", { status: 429, json: { wait_ms: { a: 1 } } }, undefined],
  [
    "a delay in the body of an error that cannot be retried",
    { status: 404, json: { wait_ms: 1500 } },
    undefined,
  ],
])("reads the retry delay: %s", async (_name, answer, delay) => {
  expect(retryDelayOf(await failed(answer))).toBe(delay);
});

const INFO = {
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: "BOOK_ARCHIVED",
  domain: "books.example",
};
const NEW = { "@type": "type.googleapis.com/acme.v1.Why", because: "so" };

test("the upstream's details follow the gateway's details, including ErrorInfo, even after a retry", async () => {
  const json = { code: 14, message: "busy", details: [INFO, NEW] };
  for (const retry of [false as const, { attempts: 2, maxDelayMs: 1 }]) {
    const error = await failed({ status: 503, json }, retry);
    expect(error.findDetails(ErrorInfoSchema).map(({ reason, domain }) => [reason, domain])).toEqual([
      ["SERVICE_UNAVAILABLE", "rules"],
      ["BOOK_ARCHIVED", "books.example"],
    ]);
    const [kept] = error.findDetails(StructSchema);
    expect(kept?.fields.because?.kind.value).toBe("so");
  }
});

test("details above the limits of count and size are omitted and counted", async () => {
  const large = { ...NEW, because: "x".repeat(10_000) };
  const many = await failed({
    status: 409,
    json: { code: 10, details: Array.from({ length: 23 }, () => NEW) },
  });
  const heavy = await failed({ status: 409, json: { code: 10, details: [large, large, NEW] } });
  expect([many, heavy].map((error) => error.findDetails(StructSchema).length)).toEqual([20, 2]);
  const omitted = [many, heavy].map(
    (error) => error.findDetails(ErrorInfoSchema)[0]?.metadata.details_omitted,
  );
  expect(omitted).toEqual(["3", "1"]);
});

test.each<[string, object]>([
  ["at the root", { errors: ["Too long."] }],
  ["within the payload of the envelope", { response: { errors: ["Too long."] } }],
  ["as one text", { response: { errors: "Too long." } }],
])("a list of strings %s becomes the text of the error", async (_name, json) => {
  const { client } = await start(ErrorService, ErrorServiceRest, { status: 400, json });
  const error = await failureOf(client.getItem({ id: "1" }));
  expect([error.code, error.rawMessage]).toEqual([
    Code.InvalidArgument,
    "upstream rules responded with 400 Bad Request: Too long.",
  ]);
});
