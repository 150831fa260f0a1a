import { Code } from "@connectrpc/connect";
import type { CallReport } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { infoOf, reasonOf } from "../../runtime/src/errors/rest-error.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { JobService } from "../gen/world/v1/jobs_pb.ts";
import { JobServiceRest } from "../gen/world/v1/jobs_rest.ts";
import { type Answer, type Answers, type Settings, start } from "../rules/world.ts";

async function jobs(answers: Answers, settings: Settings = {}) {
  const clock = new FakeClock();
  const reports: CallReport[] = [];
  const onCall = (report: CallReport) => void reports.push(report);
  const world = await start(JobService, JobServiceRest, answers, {
    clock,
    onCall,
    timeoutMs: 3_600_000,
    ...settings,
  });
  return { ...world, clock, reports };
}

/** Advances the clock until a call ends. Returns the result and the number of seconds. */
async function passing<T>(
  clock: FakeClock,
  call: Promise<T>,
): Promise<readonly [result: T, seconds: number]> {
  let isOver = false;
  let seconds = 0;
  const ended = call.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    // The other running timer is the call's deadline.
    await Promise.race([clock.whenRunning(2), ended.catch(() => undefined)]);
    if (isOver) break;
    clock.advance(1_000);
    seconds++;
  }
  return [await ended, seconds];
}

const ACCEPTED: Answer = { status: 202, headers: { location: "/exports/7" } };

test("a 202 with Location is polled until a redirect leads to the result", async () => {
  const { client, clock, seen, reports } = await jobs([
    ACCEPTED,
    { status: 202 },
    { status: 202, headers: { location: "exports/7?step=2" } },
    { status: 303, headers: { location: "/results/7" }, body: "<html>" },
    { json: { name: "done", size: 5 } },
  ]);
  const [result] = await passing(clock, client.export({ name: "all" }));
  expect(result).toMatchObject({ name: "done", size: 5n });
  expect(seen.map(({ line }) => line)).toEqual([
    "POST /exports",
    "GET /exports/7",
    "GET /exports/7",
    "GET /exports/exports/7?step=2",
    "GET /results/7",
  ]);
  expect(seen.slice(1).map(({ headers, text }) => [headers, text])).toEqual(Array(4).fill([[], ""]));
  expect(reports).toMatchObject([{ attempts: 5, error: undefined }]);
  expect(clock.running).toBe(0);
});

test("an operation that finishes immediately is not polled", async () => {
  const { client, seen } = await jobs({ json: { name: "quick" } });
  expect((await client.export({ name: "all" })).name).toBe("quick");
  expect(seen).toHaveLength(1);
});

test("delays between polls grow, or follow the upstream's Retry-After", async () => {
  const pending: Answer = { status: 202 };
  const told = (seconds: string): Answer => ({ status: 202, headers: { "retry-after": seconds } });
  const waits = async (...answers: Answer[]) => {
    const { client, clock } = await jobs([
      { ...ACCEPTED, ...answers[0], headers: { ...ACCEPTED.headers, ...answers[0]?.headers } },
      ...answers.slice(1),
      {},
    ]);
    const [, seconds] = await passing(clock, client.export({}));
    return seconds;
  };
  expect(await waits(pending)).toBe(1);
  expect(await waits(pending, pending)).toBe(1 + 2);
  expect(await waits(told("60"))).toBe(60);
  expect(await waits(told("0"))).toBe(1);
});

test("a poll that fails temporarily is repeated, and a permanent failure ends the call", async () => {
  const busy: Answer = { status: 503, headers: { "retry-after": "20" } };
  const { client, clock } = await jobs([
    ACCEPTED,
    busy,
    { status: 429, headers: { "retry-after": "5" } },
    {},
  ]);
  const [, seconds] = await passing(clock, client.export({}));
  expect(seconds).toBeGreaterThanOrEqual(26);
  const down = await jobs((_seen, index) => (index === 0 ? ACCEPTED : { status: 503 }), {
    upstream: { breaker: false },
  });
  expect((await failureOf(passing(down.clock, down.client.export({})))).code).toBe(Code.Unavailable);
  const gone = await jobs([ACCEPTED, { status: 404 }]);
  expect((await failureOf(passing(gone.clock, gone.client.export({})))).code).toBe(Code.NotFound);
});

test("a GET that gets 202 without a link is repeated, up to the maximum number of polls", async () => {
  const ready = await jobs([{ status: 202 }, { status: 202 }, { json: { size: 3 } }]);
  const [result] = await passing(ready.clock, ready.client.getStatistics({ name: "a" }));
  expect(result.size).toBe(3n);
  expect(new Set(ready.seen.map(({ line }) => line))).toEqual(new Set(["GET /statistics/a"]));
  const never = await jobs({ status: 202 });
  const error = await failureOf(passing(never.clock, never.client.getStatistics({ name: "a" })));
  expect([error.code, reasonOf(error)]).toEqual([Code.DeadlineExceeded, "OPERATION_UNFINISHED"]);
  expect(never.seen).toHaveLength(4);
});

test("a long-running operation returns its response", async () => {
  const { client, clock, seen } = await jobs([
    { json: { name: "operations/a b/7" } },
    { json: { name: "operations/a b/7", done: false, metadata: { "@type": "x" } } },
    { json: { name: "operations/a b/7", done: true, response: { name: "model", size: "9007199254740993" } } },
  ]);
  const [result] = await passing(clock, client.train({}));
  expect(result).toMatchObject({ name: "model", size: 9007199254740993n });
  expect(seen[1]?.line).toBe("GET /v1/operations/a%20b/7");
});

test("a long-running operation returns its error", async () => {
  const { client, clock } = await jobs([
    { json: { name: "operations/7" } },
    { json: { name: "operations/7", done: true, error: { code: 9, message: "no quota" } } },
  ]);
  const error = await failureOf(passing(clock, client.train({})));
  expect([error.code, error.rawMessage]).toEqual([
    Code.FailedPrecondition,
    expect.stringContaining("no quota"),
  ]);
});

test.each(["../secrets", "a/../b", ".."])(
  "an operation name that leads to another address (%s) is not followed",
  async (name) => {
    const { client, clock, seen } = await jobs([{ json: { name } }]);
    expect((await failureOf(passing(clock, client.train({})))).code).toBe(Code.Internal);
    expect(seen).toHaveLength(1);
  },
);

test("the result is found through a custom header, status values and a link", async () => {
  const accepted = { status: 202, headers: { "operation-location": "/operations/7" } };
  const { client, clock, seen } = await jobs(({ line }, index) =>
    index === 0
      ? accepted
      : { json: { status: index === 2 ? "succeeded" : "running", resourceLocation: "/r/7", name: line } },
  );
  const [result, seconds] = await passing(clock, client.analyze({}));
  expect([result.name, seconds]).toEqual(["GET /r/7", 5 + 8]);
  expect(seen.map(({ line }) => line)).toEqual([
    "POST /analyze",
    "GET /operations/7",
    "GET /operations/7",
    "GET /r/7",
  ]);
});

test.each(["failed", "canceled"])("the failure status %s is an error", async (status) => {
  const { client, clock } = await jobs([
    { status: 202, headers: { "operation-location": "/operations/7" } },
    { json: { status, error: { code: "BadPage", message: "bad page" } } },
  ]);
  const error = await failureOf(passing(clock, client.analyze({})));
  expect([error.code, error.rawMessage]).toEqual([Code.Unknown, expect.stringContaining("bad page")]);
});

test("a stream delivers each changed state, and ends with the final state", async () => {
  const state = (status: string, progress: number): Answer => ({
    json: { id: "7", status, progress, urls: { get: "/jobs/7" } },
  });
  const answers = [state("queued", 0), state("queued", 0), state("running", 50), state("completed", 100)];
  const { client, clock, reports } = await jobs(answers);
  const read = async () => {
    const states: string[] = [];
    for await (const { status, progress } of client.watchJob({})) states.push(`${status} ${progress}`);
    return states;
  };
  expect((await passing(clock, read()))[0]).toEqual(["queued 0", "running 50", "completed 100"]);
  expect(reports).toMatchObject([{ attempts: 4, error: undefined }]);
});

test("a stream of states ends with the error of a failed operation", async () => {
  const { client, clock } = await jobs([
    { json: { status: "queued", urls: { get: "/jobs/7" } } },
    { json: { status: "failed", message: "out of memory" } },
  ]);
  const seen: string[] = [];
  const read = async () => {
    for await (const { status } of client.watchJob({})) seen.push(status);
  };
  const error = await failureOf(passing(clock, read()));
  expect([seen, error.rawMessage]).toEqual([["queued"], expect.stringContaining("out of memory")]);
});

test("polling ends at the deadline of the call, and when the call is cancelled", async () => {
  const late = await jobs((_seen, index) => (index === 0 ? ACCEPTED : { status: 202 }));
  const error = await failureOf(passing(late.clock, late.client.export({}, { timeoutMs: 10_000 })));
  expect([error.code, infoOf(error)?.reason]).toEqual([Code.DeadlineExceeded, "DEADLINE_EXCEEDED"]);
  const { client, clock, seen } = await jobs([ACCEPTED]);
  const controller = new AbortController();
  const call = failureOf(client.export({}, { signal: controller.signal }));
  await clock.whenRunning(2);
  controller.abort();
  expect([(await call).code, seen.length, clock.running]).toEqual([Code.Canceled, 1, 0]);
});

test("a status link outside the base address is rejected", async () => {
  const rejections = [
    "https://evil.example/x",
    "//evil.example/x",
    "http://u:p@HOST/x",
    "http://[",
    "javascript:1",
    "/\\evil.example",
  ];
  for (const location of rejections) {
    const { client, seen, clock } = await jobs([{ status: 202, headers: { location } }]);
    const error = await failureOf(passing(clock, client.export({})));
    expect([location, reasonOf(error), seen.length]).toEqual([location, "OPERATION_LINK_REFUSED", 1]);
  }
  const none = await jobs([{ status: 202 }]);
  expect(reasonOf(await failureOf(none.client.export({})))).toBe("OPERATION_LINK_REFUSED");
});

test("property: for any responses of the upstream, the call ends and requests only the base address", async () => {
  const answer = fc.record({
    status: fc.constantFrom(200, 202, 303, 404, 503),
    location: fc.option(fc.oneof(fc.webUrl(), fc.constantFrom("/a", "..", "//b", "?c", "")), {
      nil: undefined,
    }),
    json: fc.jsonValue(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 5 }), async (answers) => {
      const { client, clock } = await jobs(
        (_seen, index) => {
          const { status, location, json } = answers[index % answers.length] as (typeof answers)[number];
          return { status, json, headers: location === undefined ? {} : { location } };
        },
        { upstream: { breaker: false, retry: false } },
      );
      await passing(clock, client.getStatistics({ name: "a" })).catch((error) =>
        expect(error).toHaveProperty("code"),
      );
      expect(clock.running).toBe(0);
    }),
    { numRuns: 25, interruptAfterTimeLimit: 5_000 },
  );
});
