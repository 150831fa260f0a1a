import { inspect } from "node:util";
import { create, toJson } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { isJsonObject, type JsonValue, parseJson, parseJsonExactly } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ErrorRule, MethodRules } from "../adapter/rules.ts";
import { UpstreamErrorSchema } from "../gen/connectrest/v1/upstream_error_pb.ts";
import { ErrorInfoSchema, RetryInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { readResponse } from "../response/read-response.ts";
import { PLAIN_RULES } from "../testing/thing-service.ts";
import { Secret } from "../text/secret.ts";
import type { UpstreamResponse } from "../upstream/upstream.ts";
import { COMMON_BODIES } from "./common-bodies.ts";
import { comparable, type ErrorResponse, errorInSuccess, upstreamError } from "./upstream-error.ts";

const NOW = 1_700_000_000_000;

interface Given {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly configured?: boolean;
  readonly secrets?: readonly string[];
}

function errorResponse(
  status: number,
  { body, headers = {}, configured = false, secrets = [] }: Given = {},
): ErrorResponse {
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  return {
    status,
    header: (name) => headers[name],
    json: typeof body === "string" ? undefined : (body as ErrorResponse["json"]),
    body: Buffer.from(text),
    truncated: false,
    configuredCredentials: configured,
    secrets: secrets.map((secret) => new Secret(secret)),
  };
}

function errorOf(status: number, given?: Given, rules: Partial<MethodRules> = {}): ConnectError {
  return upstreamError(errorResponse(status, given), { ...PLAIN_RULES, ...rules }, NOW);
}

const info = (error: ConnectError) => error.findDetails(ErrorInfoSchema)[0];

test("an upstream error contains the upstream's text, its status and its subcode", () => {
  const error = errorOf(404, {
    body: { errors: [{ title: "Not Found", code: 7, detail: "No such blog" }] },
  });
  expect(error.rawMessage).toBe("upstream things responded with 404 Not Found: Not Found: No such blog");
  expect(error.code).toBe(Code.NotFound);
  expect(info(error)).toMatchObject({
    reason: "NOT_FOUND",
    domain: "things",
    metadata: { http_status: "404", subcode: "7" },
  });
});

test.each<[string, Given, string]>([
  ["an empty body", {}, "upstream things responded with 503 Service Unavailable"],
  [
    "an HTML page",
    { body: "<html><h1>Sorry", headers: { "content-type": "text/html" } },
    "upstream things responded with 503 Service Unavailable",
  ],
  [
    "HTML that is declared as plain text",
    { body: " <!doctype html>", headers: { "content-type": "text/plain" } },
    "upstream things responded with 503 Service Unavailable",
  ],
  [
    "a line of plain text",
    { body: "Try\r\nlater\u0007\n", headers: { "content-type": "text/plain; charset=utf-8" } },
    "upstream things responded with 503 Service Unavailable: Try later",
  ],
  [
    "a message that repeats the reason phrase",
    { body: { message: "Service Unavailable" } },
    "upstream things responded with 503 Service Unavailable",
  ],
  [
    "an endless text",
    { body: { message: "x".repeat(5000) } },
    `upstream things responded with 503 Service Unavailable: ${"x".repeat(299)}…`,
  ],
])("the message for an error response with %s is correct", (_name, given, text) => {
  expect(errorOf(503, given).rawMessage).toBe(text);
});

test("an upstream error never repeats the secrets that were sent", () => {
  const given = {
    body: { message: "Invalid key sk-123 in https://a/?k=sk-123" },
    secrets: ["sk-123"],
    headers: { location: "https://b/?k=sk-123" },
  };
  const error = errorOf(403, given, { rawErrorBody: true });
  expect(error.rawMessage).toBe(
    "upstream things responded with 403 Forbidden: Invalid key [secret] in https://a/?k=[secret]",
  );
  expect(error.findDetails(UpstreamErrorSchema)[0]?.body).toHaveLength(0);
  expect(String(error.cause)).not.toContain("sk-123");
  expect(info(errorOf(302, given))?.metadata.location).toBe("https://b/?k=[secret]");
});

test("an error for a redirect contains its location, and other errors do not", () => {
  const headers = { location: "https://b.test/x\u0000y" };
  const error = errorOf(301, { headers });
  expect(info(error)).toMatchObject({
    reason: "MOVED",
    metadata: { http_status: "301", location: "https://b.test/x y" },
  });
  expect(error.rawMessage).toBe("upstream things: unexpected redirect (301); redirects are not followed");
  expect(info(errorOf(404, { headers }))?.metadata).not.toHaveProperty("location");
});

test("a 304 response is not reported as a redirect", () => {
  const error = errorOf(304, { headers: {} });
  expect(error.rawMessage).toBe("upstream things responded with 304 Not Modified");
  expect(info(error)).toMatchObject({ reason: "NOT_MODIFIED", metadata: { http_status: "304" } });
});

test.each(["application/problem+json", "Application/Problem+JSON; charset=utf-8"])(
  "an error body of type %s is read as a problem, for which a title is enough",
  (type) => {
    const given = { headers: { "content-type": type }, body: { title: "You do not have enough credit." } };
    expect(errorOf(403, given).rawMessage).toBe(
      "upstream things responded with 403 Forbidden: You do not have enough credit.",
    );
    const other = { ...given, headers: { "content-type": "application/json" } };
    expect(errorOf(403, other).rawMessage).toBe("upstream things responded with 403 Forbidden");
    expect(errorOf(403, { ...given, body: { title: 7 } }).rawMessage).toBe(
      "upstream things responded with 403 Forbidden",
    );
  },
);

test("a google.rpc.Status in the body of an error takes precedence over the HTTP status", () => {
  const details = [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "THEIRS", domain: "t.test" },
  ];
  const error = errorOf(400, { body: { code: 9, message: "Stale", details } });
  expect(error.code).toBe(Code.FailedPrecondition);
  expect(error.findDetails(ErrorInfoSchema).map(({ reason }) => reason)).toEqual(["BAD_REQUEST", "THEIRS"]);
});

const ERRORS: readonly ErrorRule[] = [
  { status: 400, subcode: 8001, code: Code.AlreadyExists, reason: "NAME_TAKEN" },
  { status: 400, subcode: 0, reason: "NO_SUBCODE" },
  {
    status: 403,
    header: { name: "X-RateLimit-Remaining", value: "0" },
    code: Code.ResourceExhausted,
    reason: "QUOTA",
  },
  { status: 403, header: { name: "retry-after" }, code: Code.ResourceExhausted },
  { status: 0, subcode: 1016, code: Code.Unauthenticated, reason: "SESSION_DEAD" },
];
const item = (code: number) => ({ body: { errors: [{ title: "T", code }] } });

test.each<[string, number, Given, Code, string]>([
  ["the status and the subcode", 400, item(8001), Code.AlreadyExists, "NAME_TAKEN"],
  ["no subcode", 400, item(0), Code.InvalidArgument, "NO_SUBCODE"],
  ["a subcode that no rule names", 400, item(9), Code.InvalidArgument, "BAD_REQUEST"],
  [
    "a header with its value",
    403,
    { headers: { "x-ratelimit-remaining": " 0" } },
    Code.ResourceExhausted,
    "QUOTA",
  ],
  [
    "a header with another value",
    403,
    { headers: { "x-ratelimit-remaining": "1" } },
    Code.PermissionDenied,
    "FORBIDDEN",
  ],
  ["a header with any value", 403, { headers: { "retry-after": "9" } }, Code.ResourceExhausted, "FORBIDDEN"],
  ["any status", 418, item(1016), Code.Unauthenticated, "SESSION_DEAD"],
  ["nothing", 500, {}, Code.Internal, "INTERNAL_SERVER_ERROR"],
])("a rule determines the code and reason by %s", (_name, status, given, code, reason) => {
  const error = errorOf(status, given, { errors: ERRORS });
  expect([error.code, info(error)?.reason]).toEqual([code, reason]);
});

test("a rule turns a success into an error only if it names the status", () => {
  const rules = {
    ...PLAIN_RULES,
    errors: [{ status: 200, subcode: 5, code: Code.Aborted, reason: "NOT_YET" }],
  };
  const found = errorInSuccess(errorResponse(200, item(5)), rules, NOW);
  expect([found?.code, found && info(found)?.reason]).toEqual([Code.Aborted, "NOT_YET"]);
  expect(errorInSuccess(errorResponse(200, item(6)), rules, NOW)).toBeUndefined();
  expect(
    errorInSuccess(errorResponse(200, item(1016)), { ...PLAIN_RULES, errors: ERRORS }, NOW),
  ).toBeUndefined();
});

const BIG = "9007199254740993";
const NEXT = "9007199254740992";

test.each([
  [BIG, BIG, true],
  [NEXT, BIG, false],
  [BIG, NEXT, false],
])("a condition of a rule compares integers exactly: %s matches %s: %s", (came, wanted, fits) => {
  const rule: ErrorRule = { body: { key: "code", values: [wanted] }, code: Code.Aborted, reason: "THAT" };
  const rules = { ...PLAIN_RULES, errors: [rule] };
  const body = Buffer.from(`{"code":${came}}`);
  const response = { ...errorResponse(200), headers: { "content-type": "application/json" }, body };
  const read = () => readResponse(response as unknown as UpstreamResponse, rules, NOW, 1_000_000);
  if (fits) {
    expect(read).toThrow(expect.objectContaining({ code: Code.Aborted }));
  } else {
    expect(read().status).toBe(200);
  }
  const json = comparable(parseJson(`{"code":${came}}`), rules, () => parseJsonExactly(`{"code":${came}}`));
  expect(errorInSuccess({ ...errorResponse(200), json }, rules, NOW) !== undefined).toBe(fits);
});

test("the caller receives the upstream's text about the caller's rejected credentials", () => {
  const error = errorOf(401, { body: { message: "expired" } });
  expect([error.code, error.rawMessage]).toEqual([
    Code.Unauthenticated,
    "upstream things responded with 401 Unauthorized: expired",
  ]);
});

test("the upstream's text about rejected configured credentials is logged, and not sent to the caller", () => {
  const error = errorOf(401, { body: { message: "key of ACME expired" }, configured: true });
  expect(error.rawMessage).toBe("upstream things: the configured credentials were rejected with status 401");
  expect([error.code, info(error)?.reason]).toEqual([Code.Internal, "UPSTREAM_CREDENTIALS"]);
  expect(String(error.cause)).toContain("key of ACME expired");
});

const KEY = "k/1&2<3";
/** Bodies with instructions for the caller that repeat the secret, in several formats. */
const REFUSALS: ReadonlyArray<readonly [type: string, body: unknown]> = [
  ["application/json", { message: `Log in again with ${KEY}` }],
  ["application/problem+json", { title: "Unauthorized", status: 401, detail: `Log in again with ${KEY}` }],
  ["text/plain", `Log in again with ${KEY}`],
  ["application/xml", "<Error><Message>Log in again with k/1&amp;2&lt;3</Message></Error>"],
  ["text/html", "<html><title>Log in again with k/1&amp;2&lt;3</title></html>"],
];

test.each(REFUSALS)(
  "a caller receives a body of type %s about the caller's rejected credentials without the secret",
  (type, body) => {
    const given = { body, headers: { "content-type": type }, secrets: [KEY] };
    const error = errorOf(401, given, { rawErrorBody: true });
    expect(error.rawMessage).toBe(
      "upstream things responded with 401 Unauthorized: Log in again with [secret]",
    );
    const own = errorOf(401, { ...given, configured: true });
    expect(own.rawMessage).not.toContain("Log in");
    for (const each of [error, own]) {
      expect(
        `${inspect(each.details.map((detail) => ("value" in detail ? detail.value : detail)))} ${each.cause}`,
      ).not.toMatch(/k\/1|k%2F1/);
    }
  },
);

test("an error for rejected credentials has the code of a rule, if a rule sets one", () => {
  const rule = { status: 401, reason: "LOGIN" };
  const given = { configured: true };
  expect(errorOf(401, given, { errors: [{ ...rule, code: Code.Unauthenticated }] }).code).toBe(
    Code.Unauthenticated,
  );
  expect(errorOf(401, given, { errors: [rule] }).code).toBe(Code.Internal);
});

test("an error for an upstream that requests a delay has a RetryInfo detail", () => {
  const [retry] = errorOf(429, { headers: { "retry-after": "1.5" } }).findDetails(RetryInfoSchema);
  expect(retry?.retryDelay).toMatchObject({ seconds: 1n, nanos: 500_000_000 });
  expect(errorOf(429).findDetails(RetryInfoSchema)).toEqual([]);
});

test("an error has a detail with the truncated body only if the rules enable it", () => {
  const given = { body: "x".repeat(5000), headers: { "content-type": "text/html" } };
  expect(errorOf(500, given).findDetails(UpstreamErrorSchema)).toEqual([]);
  const [raw] = errorOf(500, given, { rawErrorBody: true }).findDetails(UpstreamErrorSchema);
  expect(raw).toMatchObject({ httpStatus: 500, contentType: "text/html", truncated: true });
  expect(raw?.body).toHaveLength(4096);
});

test.each([
  ["502 Bad Gateway", 502, false],
  ["Bad Gateway", 502, false],
  ["502", 502, false],
  ["Error 404 (Not Found)!!", 404, false],
  ["HTTP Status 404 – Not Found", 404, false],
  ["HTTP/1.1 503 Service Unavailable", 503, false],
  ["502 Bad Gateway: no backend", 502, true],
  ["404 Not Found: /blogs/2", 404, true],
  ["Not found here", 404, true],
  ["500", 502, true],
])("the title %j of a page with status %s is in the message for callers: %j", (title, status, isSaid) => {
  const body = `<html><head><title>${title}</title></head></html>`;
  const error = errorOf(status, { body, headers: { "content-type": "text/html" } });
  expect(error.rawMessage.endsWith(`: ${title}`)).toBe(isSaid);
});

/** Returns copies of the body. In each copy, a secret replaces one of the strings or keys. */
function replaced(json: JsonValue, by: readonly JsonValue[]): JsonValue[] {
  if (typeof json === "string") return [...by];
  if (Array.isArray(json)) {
    const whole = json.every((item) => typeof item === "string") ? [stepsOf(by[0])] : [];
    return [...whole, ...json.flatMap((item, at) => replaced(item, by).map((each) => json.with(at, each)))];
  }
  if (!isJsonObject(json)) return [];
  return Object.entries(json).flatMap(([key, value = null]) => [
    { ...json, [key]: undefined, [String(by[0])]: value },
    ...replaced(value, by).map((each) => ({ ...json, [key]: each })),
  ]);
}

function stepsOf(value: JsonValue | undefined): JsonValue {
  return String(value).split("/");
}

/** Returns nested objects with the steps of a path as keys. */
function nested(steps: readonly string[]): JsonValue {
  return steps.reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), ["is invalid"]);
}

test("no error contains 12 consecutive characters of a secret, regardless of where the body contains the secret", () => {
  const step = fc.stringMatching(/^[A-Za-z0-9+]{3,9}$/);
  const secrets = fc
    .array(step, { minLength: 3, maxLength: 6 })
    .map((steps) => steps.join("/"))
    .filter((text) => text.length >= 20 && !/(.{3}).*\1|(.)\2\2/i.test(text) && /\d/.test(text));
  const examples = COMMON_BODIES.flatMap((common) => common.examples);
  fc.assert(
    fc.property(secrets, fc.constantFrom(...examples), fc.nat(), (secret, example, pick) => {
      const ways = [
        secret,
        `/${secret}`,
        `#/body/${secret.replaceAll("/", "~1")}`,
        secret.split("/").join("."),
      ];
      const bodies = [
        ...replaced(example, ways),
        { errors: nested(secret.split("/")) },
        { errors: [{ message: "no", field: Buffer.from(secret, "utf16le").toString("latin1") }] },
      ];
      const body = bodies[pick % bodies.length];
      const error = errorOf(422, { body, secrets: [secret] }, { rawErrorBody: true });
      const shown = textsOf(error);
      const letters = lettersOf(shown);
      for (let at = 0; at + 12 <= secret.length; at++) {
        const part = lettersOf(secret.slice(at, at + 12));
        expect(part.length >= 8 && letters.includes(part), `${part} in ${shown}`).toBe(false);
      }
    }),
    {
      interruptAfterTimeLimit: 4000,
      numRuns: 400,
      // words of this secret are also names of properties that JavaScript objects inherit
      examples: [
        ["prototype/++aaB/0a+/+00/A0A", { error: "No such book" }, 0],
        ["toString/++aaB/valueOf+/+00/A0A", { error: "No such book" }, 0],
      ],
    },
  );
});

/** Returns all strings in an error, without the descriptors of its details. */
function textsOf(error: ConnectError): string {
  const details = error.details.map((detail) =>
    "desc" in detail
      ? JSON.stringify(toJson(detail.desc, create(detail.desc, detail.value)))
      : Buffer.from(detail.value).toString(),
  );
  const bodies = error.findDetails(UpstreamErrorSchema).map(({ body }) => Buffer.from(body).toString());
  return [error.rawMessage, inspect(error.cause), ...details, ...bodies].join("\n");
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, "");
}

test("in a large error, only the part that may be shown is searched for secrets", () => {
  const secrets = Array.from({ length: 16 }, (_, at) =>
    Buffer.from(`secret-${at}-`.repeat(4)).toString("base64"),
  );
  const searched = (words: number) => {
    const text = `${"The quick brown fox. ".repeat(words)}${secrets[3]}`;
    const details = [{ "@type": "x/y", text }];
    const response = errorResponse(404, {
      body: { code: 5, message: text, details, errors: [{ message: text }] },
      secrets,
    });
    const runs = Array.from({ length: 5 }, () => {
      const { user } = process.cpuUsage();
      const error = upstreamError(response, { ...PLAIN_RULES, rawErrorBody: true }, NOW);
      expect(error.rawMessage.length).toBeLessThan(400);
      return process.cpuUsage().user - user;
    });
    return Math.max(500, Math.min(...runs));
  };
  searched(400);
  // the quotient would be 30 if the whole error were searched
  expect(searched(12_000) / searched(400)).toBeLessThan(10);
});
