import { Code, type ConnectError } from "@connectrpc/connect";
import { reasonOf, UpstreamErrorSchema } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { retryDelayOf } from "../../runtime/src/errors/retry-info.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { ErrorService } from "../gen/rules/v1/errors_pb.ts";
import { ErrorServiceRest } from "../gen/rules/v1/errors_rest.ts";
import { type Answer, start } from "./world.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

const errors = (answer: Answer) =>
  start(ErrorService, ErrorServiceRest, answer, {
    clock: new FakeClock(NOW),
    upstream: { retry: false },
  });

async function failed(answer: Answer, method: "getItem" | "getOther" = "getItem"): Promise<ConnectError> {
  const { client } = await errors(answer);
  return await failureOf(client[method]({ id: "1" }));
}

test("envelope: the payload is at the first path that exists", async () => {
  for (const json of [
    { response: { item: { title: "t" } } },
    { meta: { status: 200, msg: "OK" }, response: { title: "t" } },
  ]) {
    const { client, seen } = await errors({ json });
    expect((await client.getItem({ id: "1" })).title).toBe("t");
    expect(seen[0]?.line).toBe("GET /items/1");
  }
});

test("envelope: a status and message make a 200 response an error, and error items next to a payload are lost", async () => {
  const error = await failed({ json: { meta: { status: 404, msg: "No item" }, response: [] } });
  expect([error.code, error.rawMessage]).toEqual([
    Code.NotFound,
    "upstream rules responded with 404 Not Found: No item",
  ]);
  const json = { meta: { status: 200 }, response: { title: "t" }, errors: [{ name: "minor" }] };
  const lost: string[] = [];
  const { client } = await start(
    ErrorService,
    ErrorServiceRest,
    { json },
    {
      strict: false,
      onDifference: ({ differences }) => lost.push(...differences.map(({ path }) => path)),
    },
  );
  expect((await client.getItem({ id: "1" })).title).toBe("t");
  expect(lost).toEqual(["errors"]);
});

test("envelope: the path `.` means the root", async () => {
  const { client } = await errors({ json: { title: "t", response: { title: "no" } } });
  expect((await client.getOther({ id: "1" })).title).toBe("t");
});

const MEANINGS: ReadonlyArray<readonly [what: string, answer: Answer, code: Code, reason: string]> = [
  ["status", { status: 409 }, Code.AlreadyExists, "ITEM_EXISTS"],
  ["subcode", { status: 400, json: { errors: [{ number: 8001 }] } }, Code.FailedPrecondition, "ITEM_LOCKED"],
  [
    "subcode as text",
    { status: 400, json: { errors: { number: "8001" } } },
    Code.FailedPrecondition,
    "ITEM_LOCKED",
  ],
  [
    "subcode_text",
    { status: 422, json: { errors: [{ number: "too_long" }] } },
    Code.OutOfRange,
    "ITEM_TOO_LONG",
  ],
  ["subcode_text of OAuth", { status: 400, json: { error: "too_long" } }, Code.OutOfRange, "ITEM_TOO_LONG"],
  [
    "header with a value",
    { status: 403, headers: { "x-reason": "blocked" } },
    Code.ResourceExhausted,
    "ITEM_BLOCKED",
  ],
  ["header", { status: 418, headers: { "x-maintenance": "until noon" } }, Code.Unavailable, "MAINTENANCE"],
];

test.each(MEANINGS)("errors: %s", async (_what, answer, code, reason) => {
  const error = await failed(answer);
  expect([error.code, reasonOf(error)]).toEqual([code, reason]);
});

test("errors: without a matching condition, the HTTP status determines the code", async () => {
  expect((await failed({ status: 400, json: { errors: [{ number: 1 }] } })).code).toBe(Code.InvalidArgument);
  expect((await failed({ status: 403, headers: { "x-reason": "other" } })).code).toBe(Code.PermissionDenied);
});

test("errors: the method's rules take precedence over the service's rules", async () => {
  const error = await failed({ status: 409 }, "getOther");
  expect([error.code, reasonOf(error)]).toEqual([Code.Aborted, "OTHER_CONFLICT"]);
  expect(reasonOf(await failed({ status: 418, headers: { "x-maintenance": "1" } }, "getOther"))).toBe(
    "MAINTENANCE",
  );
});

const BODIES: ReadonlyArray<readonly [shape: string, json: unknown, text: string]> = [
  ["items", { errors: [{ name: "Bad", number: 1, long: "very bad" }] }, "Bad: very bad"],
  ["title_map", { problems: [{ "Some title": "Some detail" }] }, "Some title: Some detail"],
  ["oauth", { error: "invalid_grant", error_description: "expired" }, "invalid_grant: expired"],
  ["rpc_status", { error: { code: 3, message: "bad rpc", status: "INVALID_ARGUMENT" } }, "bad rpc"],
  ["text", { message: "plain" }, "plain"],
];

test.each(BODIES)("error_bodies: %s", async (_shape, json, text) => {
  expect((await failed({ status: 400, json })).rawMessage).toBe(
    `upstream rules responded with 400 Bad Request: ${text}`,
  );
});

test("error_bodies: the method's paths replace the service's paths", async () => {
  const json = { message: "not this", reason: { text: "this" } };
  expect((await failed({ status: 400, json }, "getOther")).rawMessage).toBe(
    "upstream rules responded with 400 Bad Request: this",
  );
});

const DELAYS: ReadonlyArray<
  readonly [what: string, headers: Record<string, string>, delayMs: number | undefined]
> = [
  ["EPOCH, while its condition holds", { "x-reset": String(NOW / 1000 + 90), "x-remaining": "0" }, 90_000],
  ["EPOCH, without its condition", { "x-reset": String(NOW / 1000 + 90), "x-remaining": "1" }, undefined],
  ["SECONDS", { "x-wait": "1.5" }, 1_500],
  ["HTTP_DATE", { "x-until": "Fri, 02 Jan 2026 03:05:05 GMT" }, 60_000],
  ["Retry-After, where no rule applies", { "retry-after": "7" }, 7_000],
];

test.each(DELAYS)("retry_after: %s", async (_what, headers, delayMs) => {
  expect(retryDelayOf(await failed({ status: 429, headers }))).toBe(delayMs);
});

test("retry_after: the method's header replaces the service's header", async () => {
  const headers = { "x-other-wait": "3", "x-wait": "9" };
  expect(retryDelayOf(await failed({ status: 429, headers }, "getOther"))).toBe(3_000);
});

test("raw_error_body: the body is a detail of the error, unless the method turns it off", async () => {
  const answer = { status: 500, headers: { "content-type": "text/plain" }, body: "x".repeat(5_000) };
  const [detail] = (await failed(answer)).findDetails(UpstreamErrorSchema);
  expect(detail).toMatchObject({ httpStatus: 500, contentType: "text/plain", truncated: true });
  expect(Buffer.from(detail?.body ?? []).toString()).toBe("x".repeat(4_096));
  expect((await failed(answer, "getOther")).findDetails(UpstreamErrorSchema)).toEqual([]);
});
