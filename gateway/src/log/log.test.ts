import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { joinedPath, stepText } from "connect-rest-codec/internal";
import type { DifferenceClass } from "connect-rest-runtime";
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
import { DifferenceLog } from "./difference-log.ts";
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

/** Records differences of one class at paths of a method's responses. */
function recordAt(seen: DifferenceLog, as: DifferenceClass, paths: readonly string[], got = "array"): void {
  for (const path of paths) {
    const differences = [{ path, expected: "int32", got, class: as }];
    const counts = { additional: 0, converted: 0, lost: 0, [as]: 1 };
    seen.record({ method: EchoService.method.echo, upstream: "echo", differences, counts });
  }
}

test("the first sighting of a difference is logged, and later ones at most once a minute for each path, without values", () => {
  const { log, lines } = capture();
  let now = 0;
  const first: unknown[] = [];
  const seen = new DifferenceLog(log, { now: () => now, onFirst: (sighting) => first.push(sighting) });
  recordAt(seen, "lost", ["a[0].b", "a[1].b", "a[0].b", "c"], 'string "s3cret"');
  now = 60_000;
  recordAt(seen, "lost", ["a[7].b"], 'string "s3cret"');
  const known = { method: "echo.v1.EchoService/Echo", upstream: "echo", expected: "int32", got: "string" };
  const a = { ...known, path: "a[0].b", class: "lost", length: "6" };
  const c = { ...a, path: "c" };
  expect(lines).toMatchObject([
    { level: "warn", ...a, first: true, msg: "difference" },
    { level: "warn", ...c, first: true },
    { level: "warn", path: "a[7].b", unlogged: 2 },
  ]);
  expect(lines[2]).not.toHaveProperty("first");
  expect(first).toEqual([a, c]);
  const times = { firstSeen: "1970-01-01T00:00:00.000Z", lastSeen: "1970-01-01T00:00:00.000Z" };
  expect(seen.list()).toEqual({
    differences: [
      { ...a, count: 4, ...times, lastSeen: "1970-01-01T00:01:00.000Z" },
      { ...c, count: 1, ...times },
    ],
    notListed: 0,
  });
  expect(JSON.stringify([lines, first, seen.list()])).not.toContain("s3cret");
});

test("a value of another JSON type is another difference, and the most recent difference is listed first", () => {
  const { log } = capture();
  let now = 0;
  const seen = new DifferenceLog(log, { now: () => now++ });
  recordAt(seen, "converted", ["a"], "number 5");
  recordAt(seen, "converted", ["a"], "boolean true");
  recordAt(seen, "converted", ["a"], "number 123");
  recordAt(seen, "converted", ["a"], `string "${"x".repeat(39)}…`);
  const shown = seen.list().differences.map(({ got, length, count }) => [got, length, count]);
  expect(shown).toEqual([
    ["string", ">40", 1],
    ["boolean", undefined, 1],
    ["number", "1", 2],
  ]);
});

test.each(["additional", "converted", "lost"] as const)(
  "keys that are data take a bounded number of places, lines and trace events, and all are counted: %s",
  (as) => {
    const { log, lines } = capture("debug");
    let now = 0;
    let events = 0;
    const seen = new DifferenceLog(log, { now: () => now, onFirst: () => events++ });
    const paths = Array.from({ length: 5000 }, (_, at) => `users.k${at}`);
    recordAt(seen, as, paths);
    // One line for each place, and one for all others.
    expect([seen.list().differences.length, events, lines.length]).toEqual([100, 100, 101]);
    expect(seen.list().notListed).toBe(4900);
    now = 60_000;
    recordAt(seen, as, ["users.more", "users.evenMore"]);
    expect(lines).toHaveLength(102);
    expect(lines.at(-1)).toMatchObject({ path: "users.more", class: as, unlogged: 4899 });
  },
);

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
      const seen = new DifferenceLog(log);
      const second = isMoved ? one.map((step) => (typeof step === "number" ? step + 1 : step)) : other;
      recordAt(seen, "lost", [textOf(one), textOf(second)]);
      expect(lines).toHaveLength(placeOf(one) === placeOf(second) ? 1 : 2);
    }),
  );
});

test.each(["additional", "converted", "lost"] as const)(
  "the log level of a difference depends on its class, and is at least info for the first sighting: %s",
  (as) => {
    const { log, lines } = capture("debug");
    let now = 0;
    const seen = new DifferenceLog(log, { now: () => now });
    recordAt(seen, as, ["a"]);
    now = 60_000;
    recordAt(seen, as, ["a"]);
    const level = { additional: "debug", converted: "info", lost: "warn" }[as];
    const first = as === "additional" ? "info" : level;
    expect(lines).toMatchObject([
      { level: first, path: "a", class: as, first: true },
      { level, path: "a", class: as },
    ]);
  },
);

test("a client's request ID is repeated only if it is harmless", () => {
  expect(requestIdOf("abc-1.2_3")).toBe("abc-1.2_3");
  for (const bad of [undefined, "", "a b", 'a"', "x".repeat(129), ["a"]]) {
    expect(requestIdOf(bad)).toMatch(/^[0-9a-f]{8}-/);
  }
});
