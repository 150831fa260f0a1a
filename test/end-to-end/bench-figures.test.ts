import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Figures } from "../../bench/burst.ts";
import { CONTESTANTS, type Contestant } from "../../bench/contestants.ts";
import { readPage } from "../../bench/hand-written.ts";
import { othersShare } from "../../bench/machine.ts";
import { isPartWanted, PARTS, readOptions } from "../../bench/options.ts";
import { PAGES } from "../../bench/pages.ts";
import { sharesOf } from "../../bench/profile.ts";
import { withParts } from "../../bench/record.ts";
import { quietHalf } from "../../bench/rounds.ts";
import { summarize } from "../../bench/summary.ts";
import { isReached, targetCells, targetsOf } from "../../bench/targets.ts";
import { ListPostsResponseSchema } from "../../gen/blog/v1/post_pb.ts";

const named = (name: string): Contestant => {
  const found = CONTESTANTS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`expected a contestant ${name}`);
  return found;
};
const page = PAGES[2] ?? PAGES[0];
if (page === undefined) throw new Error("expected a page");

test("a contestant must return the page's message with the right id and text", () => {
  const right = readPage(page.json);
  const { check } = named("gateway Connect proto");
  expect(check(toBinary(ListPostsResponseSchema, right), page)).toBeUndefined();
  for (const [change, problem] of [
    [{ id: (page.ids[0] ?? 0n) + 1n }, "its ids are not those of the page"],
    [{ summary: "another" }, "it has another content"],
    [{ unknownFields: {} }, "it has another content"],
  ] as const) {
    const posts = right.posts.map((post) =>
      "id" in change && post !== right.posts[0] ? post : { ...post, ...change },
    );
    expect(
      check(toBinary(ListPostsResponseSchema, create(ListPostsResponseSchema, { ...right, posts })), page),
    ).toBe(problem);
  }
});

test("the Go handler may omit unknown keys, but no fields", () => {
  const right = readPage(page.json);
  const { check } = named("go-handler Connect proto");
  const bytesOf = (posts: typeof right.posts) =>
    toBinary(ListPostsResponseSchema, create(ListPostsResponseSchema, { ...right, posts }));
  const without = right.posts.map((post) => ({ ...post, unknownFields: {} }));
  expect(check(bytesOf(without), page)).toBeUndefined();
  expect(check(bytesOf(without.map((post) => ({ ...post, slug: "" }))), page)).toBe("it has another content");
});

const figuresOf = (cpuMicroseconds: number): Figures => ({
  callsPerSecond: 1000 / cpuMicroseconds,
  p50Ms: 1,
  p99Ms: 2,
  cpuMicroseconds,
});

test("ratios compare contestants of one round: with the proxy, and with servers for the same protocol", () => {
  const series = (name: string, cpu: readonly number[]) => ({
    contestant: named(name),
    page,
    rounds: cpu.map(figuresOf),
  });
  const rows = summarize([
    series("proxy", [10, 100, 1000]),
    series("go-transcoder Connect proto", [40, 400, 4000]),
    series("go-transcoder gRPC", [1, 1, 1]),
    series("gateway Connect proto", [20, 200, 2000]),
  ]);
  expect(rows.map(({ cpu }) => cpu)).toEqual([
    {},
    { proxy: { median: 4, low: 4, high: 4 } },
    { proxy: { median: 0.01, low: 0.001, high: 0.1 } },
    { proxy: { median: 2, low: 2, high: 2 }, "go-transcoder": { median: 0.5, low: 0.5, high: 0.5 } },
  ]);
});

test("only the quieter half of the rounds counts", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 99 }), (shares) => {
      const rounds = shares.map((others) => ({ others }));
      const { counted, leftOut = [] } = quietHalf(rounds);
      expect(new Set([...counted, ...leftOut])).toEqual(new Set(rounds));
      expect(counted.length).toBe(rounds.length < 4 ? rounds.length : Math.ceil(rounds.length / 2));
      const most = Math.max(0, ...counted.map(({ others }) => others));
      for (const { others } of leftOut) expect(others).toBeGreaterThanOrEqual(most);
    }),
  );
});

test("other load is the machine's used and stolen processor time, minus the benchmark's own use", () => {
  const before = { total: 1000, busy: 500, stolen: 100 };
  expect(othersShare(before, { total: 2000, busy: 1200, stolen: 150 }, 250)).toBe(0.5);
  expect(othersShare(before, { total: 2000, busy: 600, stolen: 100 }, 101)).toBe(0);
});

const estimate = { median: 2, low: 1, high: 3 };
const none = { calls: [], codec: [], workers: [], large: [], start: [] };

test("measured medians are compared with the targets", () => {
  expect(targetsOf(none)).toEqual([]);
  const workers = [{ name: "gateway gRPC", wall: estimate, capacity: { ...estimate, median: 1.5 } }];
  const large = [
    { name: "gateway gRPC", pageBytes: 1, heldMs: 30, heldWallMs: 99, memory: 6.01, memoryInARow: 9 },
  ];
  const bare = {
    name: "connect-node",
    services: 1,
    readyMs: estimate,
    cpuMs: estimate,
    ratio: estimate,
  } as const;
  const start = [bare, { ...bare, name: "gateway", ratio: { ...estimate, median: 3.1 } }] as const;
  const targets = targetsOf({ ...none, workers, large, start });
  expect(targets.map(isReached)).toEqual([false, true, false, true, false]);
  expect(targetCells(targets)).toEqual([
    ["two workers, gRPC: throughput relative to one worker", "1.50 [1.00, 3.00]", ">= 1.6", "no"],
    ["a page of 6,400 posts, gRPC: longest event-loop turn, in ms", "30.00", "<= 30", "yes"],
    ["a page of 6,400 posts, gRPC: memory relative to the page", "6.01", "<= 6", "no"],
    ["start with 1 service: processor time, in ms", "2.00 [1.00, 3.00]", "<= 600", "yes"],
    [
      "start with 1 service: time until ready, relative to a bare connect-node server",
      "3.10 [1.00, 3.00]",
      "<= 3",
      "no",
    ],
  ]);
});

test("a profile sample counts as own time of the innermost part, and as inclusive time of every part on the stack", () => {
  const node = (
    id: number,
    functionName: string,
    url: string,
    hitCount: number,
    children: number[] = [],
  ) => ({
    id,
    callFrame: { functionName, url, scriptId: "0", lineNumber: 0, columnNumber: 0 },
    hitCount,
    children,
  });
  const nodes = [
    node(1, "(root)", "", 0, [2, 6, 7, 8]),
    node(2, "onRequest", "node:_http_server", 1, [3]),
    node(3, "serve", "file:///r/gateway/src/rpc/serve-call.ts", 2, [4]),
    node(4, "decode", "file:///r/runtime/src/scan/scanner.ts", 3, [5]),
    node(5, "toString", "node:buffer", 1),
    node(6, "(garbage collector)", "", 1),
    node(7, "(idle)", "", 1000),
    node(8, "onread", "node:internal/stream_base_commons", 2),
  ];
  const profile = { nodes, startTime: 0, endTime: 1 };
  const shares = sharesOf({ profile, main: 50, all: 100 });
  const of = (part: string) => shares.find((share) => share.part === part);
  // Ten samples of the main thread, which uses half of the processor time.
  expect(of("decoder")).toEqual({ part: "decoder", own: 0.2, inclusive: 0.2 });
  expect(of("gateway")?.own).toBeCloseTo(0.1);
  expect(of("gateway")?.inclusive).toBeCloseTo(0.3);
  expect(of("node:http")?.own).toBeCloseTo(0.05);
  expect(of("node:http")?.inclusive).toBeCloseTo(0.35);
  expect(of("garbage collection")?.own).toBeCloseTo(0.05);
  expect(of("sockets and streams")?.own).toBeCloseTo(0.1);
  expect(shares.reduce((sum, { own }) => sum + own, 0)).toBeCloseTo(1);
});

test("the command line: selects all parts, one named part, or several named parts", () => {
  const wanted = (...args: string[]) => {
    const options = readOptions(args);
    return PARTS.filter((part) => options !== undefined && isPartWanted(options, part));
  };
  expect(wanted()).toEqual([...PARTS]);
  expect(wanted("large", "--only", "gRPC")).toEqual(["large"]);
  expect(wanted("--only", "gateway gRPC")).toEqual(["calls"]);
  expect(wanted("--only", "gateway gRPC, codec")).toEqual(["calls", "codec"]);
  expect(wanted("--self")).toEqual(["calls"]);
});

test("a recording of one part keeps the figures of the other parts", () => {
  const machine = { node: "24", cpus: "2 processors", rounds: 24, turns: 4, warmUp: 8, callsOfBurst: 8 };
  const parts = { ...none, skipped: [], others: [], pair: [], dirty: [], profiles: [] };
  const codec = [{ page: "1 KB", name: "scanner", microseconds: 1, ratio: 1 }];
  const pairOf = (cpuMicroseconds: number) => [
    { name: "gateway gRPC", page: "1 KB", baseline: "proxy", cpuMicroseconds, ratio: estimate },
  ];
  const earlier = { ...machine, ...parts, date: "2026-11-01", load: "1", codec, pair: pairOf(1) };
  const run = { ...machine, ...parts, date: "2026-11-02", load: "2", rounds: 1, pair: pairOf(2) };
  expect(withParts(earlier, run)).toEqual({ ...earlier, pair: pairOf(2) });
});
