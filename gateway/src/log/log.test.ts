import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { joinedPath, stepText } from "connect-rest-codec/internal";
import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Call } from "../call/call.ts";
import { noTrace } from "../call/call.ts";
import { requestIdOf } from "../call/caller.ts";
import { outcomeOf } from "../call/outcome.ts";
import { EchoRequestSchema, EchoService } from "../gen/echo/v1/echo_pb.ts";
import { startServer } from "../server.ts";
import { http2Request } from "../testing/raw.ts";
import { logCall } from "./call-log.ts";
import { createDifferenceLog } from "./difference-log.ts";
import { createLogger, type Logger, type LogLevel } from "./logger.ts";

/** Returns a logger, and the lines that it has written. */
function capture(level: LogLevel = "info") {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger(level, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { log, lines };
}

function endedCall(reason?: unknown): Call {
  const abort = new AbortController();
  abort.abort(reason);
  return {
    key: "192.0.2.1",
    requestId: "id",
    client: "192.0.2.1",
    method: EchoService.method.echo,
    protocol: "grpc",
    startedAt: performance.now(),
    deadline: { ms: 1, setBy: "client", isClientBound: true },
    trace: noTrace,
    requests: 1,
    retries: 0,
    messageCost: 0,
    bytesIn: 1,
    bytesOut: 2,
    failedInHandler: false,
    upstreamStatus: 200,
    signal: abort.signal,
  };
}

function logEnded(log: Logger, call: Call, httpStatus = 200, defect?: unknown): void {
  logCall(log, call, outcomeOf(call, httpStatus, defect));
}

test("a call's log line counts requests for pages separately from attempts", () => {
  const { log, lines } = capture();
  logEnded(log, { ...endedCall(), requests: 7 });
  logEnded(log, { ...endedCall(), requests: 7, retries: 2 });
  logEnded(log, { ...endedCall(), requests: 3, retries: 2 });
  logEnded(log, { ...endedCall(), requests: 0 });
  expect(lines.map(({ attempts, requests }) => [attempts, requests])).toEqual([
    [1, 7],
    [3, 7],
    [3, undefined],
    [undefined, undefined],
  ]);
});

test("a call's log line has these fields and no others", () => {
  const { log, lines } = capture();
  logEnded(log, endedCall());
  expect(Object.keys(lines[0] ?? {})).toEqual([
    "level",
    "time",
    "method",
    "protocol",
    "code",
    "durationMs",
    "bytesIn",
    "bytesOut",
    "upstreamStatus",
    "attempts",
    "requestId",
    "client",
    "msg",
  ]);
  expect(lines[0]).toMatchObject({
    level: "info",
    method: "echo.v1.EchoService/Echo",
    code: "ok",
    msg: "call",
  });
});

test("for an error that is meant for the caller, only the code is logged", () => {
  const { log, lines } = capture();
  const detail = { desc: EchoRequestSchema, value: create(EchoRequestSchema, { text: "s3cret" }) };
  logEnded(
    log,
    endedCall(new ConnectError("s3cret", Code.NotFound, { "x-secret": "s3cret" }, [detail])),
    404,
  );
  expect(lines[0]).toMatchObject({ level: "info", code: "not_found" });
  expect(JSON.stringify(lines)).not.toContain("s3cret");
});

test("a defect is logged as an error, with its stack", () => {
  const { log, lines } = capture();
  logEnded(log, endedCall(new TypeError("boom")), 500);
  logEnded(
    log,
    endedCall(new ConnectError("no", Code.Internal, undefined, undefined, new RangeError("cause"))),
    500,
  );
  logEnded(log, endedCall(), 200, new Error("outside"));
  expect(lines).toMatchObject([
    { level: "error", code: "internal", cause: expect.stringMatching(/^TypeError: boom\n/) },
    { level: "error", code: "internal", cause: expect.stringMatching(/^RangeError: cause\n/) },
    { level: "error", code: "internal", cause: expect.stringMatching(/^Error: outside\n/) },
  ]);
});

test("the text of an upstream's error response is not logged", () => {
  const { log, lines } = capture();
  const value = { reason: "BAD", domain: "echo", metadata: { http_status: "500" } };
  const cause = new Error("HTTP 500: s3cret");
  const detail = { desc: ErrorInfoSchema, value };
  logEnded(log, endedCall(new ConnectError("said s3cret", Code.Internal, undefined, [detail], cause)), 500);
  expect(lines).toMatchObject([{ level: "info", code: "internal" }]);
  expect(JSON.stringify(lines)).not.toContain("s3cret");
});

test("a call that was rejected before it began is logged with its HTTP status", () => {
  const { log, lines } = capture();
  logEnded(log, { ...endedCall(), signal: undefined }, 415);
  expect(lines[0]).toMatchObject({ code: "http_415" });
});

test.each([
  ["grpc", "application/grpc+thrift"],
  ["grpc-web", "application/grpc-web-text"],
  ["connect", "text/plain"],
])(
  "a rejected call of %s is logged with the HTTP status of the rejection, even if the response has another status",
  async (protocol, contentType) => {
    const { log, lines } = capture();
    const server = await startServer({
      log,
      limits: { drainNoticeMs: 1 },
      routes: (router) => router.service(EchoService, { echo: ({ text }) => ({ text }) }),
    });
    const path = "/echo.v1.EchoService/Echo";
    const head = { ":method": "POST", ":path": path, "content-type": contentType };
    await http2Request(server.port, head, new Uint8Array());
    await server.close();
    const calls = lines.filter((line) => "code" in line);
    expect(calls).toMatchObject([{ protocol, code: "http_415" }]);
  },
);

const ONE_EACH = { additional: 1, converted: 1, lost: 1 };

test("a difference is logged at most once a minute for each path, without values", () => {
  const { log, lines } = capture();
  let now = 0;
  const report = createDifferenceLog(log, () => now);
  const differ = (path: string) =>
    report({
      method: EchoService.method.echo,
      upstream: "echo",
      differences: [{ path, expected: "int32", got: 'string "s3cret"', class: "lost" }],
      counts: ONE_EACH,
    });
  for (const path of ["a[0].b", "a[1].b", "a[0].b", "c"]) differ(path);
  now = 60_000;
  differ("a[7].b");
  expect(lines).toMatchObject([
    {
      level: "warn",
      method: "echo.v1.EchoService/Echo",
      upstream: "echo",
      path: "a[0].b",
      got: "string",
      class: "lost",
      msg: "difference",
    },
    { path: "c" },
    { path: "a[7].b", unlogged: 2 },
  ]);
  expect(JSON.stringify(lines)).not.toContain("s3cret");
});

test("property: two paths are one place exactly if they differ only in the indexes of lists", () => {
  const keys = fc.constantFrom(
    "a",
    "1",
    "2",
    "[1]",
    "[2]",
    "a[1]",
    "[]",
    "a.b",
    'x"[1]"',
    "",
    " ",
    "x".repeat(120),
  );
  const steps = fc.array(fc.oneof(keys, fc.nat(12)), { minLength: 1, maxLength: 4 });
  const textOf = (path: ReadonlyArray<string | number>) =>
    path.map((step) => (typeof step === "number" ? `[${step}]` : stepText(step))).reduce(joinedPath);
  const placeOf = (path: ReadonlyArray<string | number>) =>
    JSON.stringify(path.map((step) => (typeof step === "number" ? [] : step)));
  fc.assert(
    fc.property(steps, steps, fc.boolean(), (one, other, isMoved) => {
      const { log, lines } = capture();
      const report = createDifferenceLog(log, () => 0);
      const second = isMoved ? one.map((step) => (typeof step === "number" ? step + 1 : step)) : other;
      for (const path of [one, second]) {
        report({
          method: EchoService.method.echo,
          upstream: "echo",
          differences: [{ path: textOf(path), expected: "int32", got: "array", class: "lost" }],
          counts: ONE_EACH,
        });
      }
      expect(lines).toHaveLength(placeOf(one) === placeOf(second) ? 1 : 2);
    }),
  );
});

test.each(["additional", "converted", "lost"] as const)(
  "the log level of a difference depends on its class: %s",
  (as) => {
    const { log, lines } = capture("debug");
    const differences = [{ path: "a", expected: "int32", got: "array", class: as }];
    createDifferenceLog(log)({
      method: EchoService.method.echo,
      upstream: "echo",
      differences,
      counts: ONE_EACH,
    });
    const level = { additional: "debug", converted: "info", lost: "warn" }[as];
    expect(lines).toMatchObject([{ level, path: "a", class: as }]);
  },
);

test("a client's request ID is repeated only if it is harmless", () => {
  expect(requestIdOf("abc-1.2_3")).toBe("abc-1.2_3");
  for (const bad of [undefined, "", "a b", 'a"', "x".repeat(129), ["a"]]) {
    expect(requestIdOf(bad)).toMatch(/^[0-9a-f]{8}-/);
  }
});
