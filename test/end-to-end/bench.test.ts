import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildGo } from "../../bench/go.ts";
import { readResponse } from "../../bench/load/http1.ts";
import { readFrame } from "../../bench/load/http2-frames.ts";
import { isWanted, readOptions } from "../../bench/options.ts";
import type { PairFigures } from "../../bench/pair.ts";
import { figureLines, holds } from "../../bench/reliability/figure.ts";
import { benchReliability } from "../../bench/reliability.ts";
import { measureStart, START_NAMES } from "../../bench/start.ts";
import {
  type Estimate,
  estimate,
  median,
  pairedRatios,
  percentile,
  quietest,
} from "../../bench/statistics.ts";
import { ROOT } from "./child.ts";

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));

test("the load generator: reads a complete response with a Content-Length", () => {
  fc.assert(
    fc.property(bytes, fc.nat(), (body, cut) => {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nx: y\r\n\r\n`;
      const whole = Buffer.concat([Buffer.from(head), body]);
      expect(readResponse(whole)).toEqual({ status: 200, body });
      expect(readResponse(whole.subarray(0, cut % whole.length))).toBeUndefined();
    }),
  );
});

test("the load generator: reads a complete chunked response", () => {
  fc.assert(
    fc.property(fc.array(bytes.filter(({ length }) => length > 0)), fc.nat(), (chunks, cut) => {
      const framed = chunks.flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, "\r\n"]);
      const parts = ["HTTP/1.1 429 No\r\ntransfer-encoding: chunked\r\n\r\n", ...framed, "0\r\n\r\n"];
      const whole = Buffer.concat(parts.map((part) => Buffer.from(part)));
      expect(readResponse(whole)).toEqual({ status: 429, body: Buffer.concat(chunks) });
      expect(readResponse(whole.subarray(0, cut % whole.length))).toBeUndefined();
    }),
  );
});

test("the load generator: reads a complete HTTP/2 frame", () => {
  fc.assert(
    fc.property(
      bytes,
      fc.nat(255),
      fc.nat(255),
      fc.nat(2 ** 31 - 1),
      fc.nat(),
      (payload, type, flags, streamId, cut) => {
        const head = Buffer.alloc(9);
        head.writeUIntBE(payload.length, 0, 3);
        head.writeUInt8(type, 3);
        head.writeUInt8(flags, 4);
        head.writeUInt32BE(streamId, 5);
        const whole = Buffer.concat([head, payload]);
        expect(readFrame(whole)).toEqual({ type, flags, streamId, payload, size: whole.length });
        expect(readFrame(whole.subarray(0, cut % whole.length))).toBeUndefined();
      },
    ),
  );
});

test("the statistics match the sorted values", () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([7]), median([])]).toEqual([2, 2.5, 7, Number.NaN]);
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  expect([percentile(hundred, 0.5), percentile(hundred, 0.99), percentile([5], 0.99)]).toEqual([50, 99, 5]);
});

test("the median has a 95 % confidence interval, or the full range for only a few values", () => {
  const upTo = (n: number) => Array.from({ length: n }, (_, i) => n - i);
  expect(estimate(upTo(5))).toEqual({ median: 3, low: 1, high: 5 });
  // By the binomial distribution: 96.1 % for 9 values, 95.9 % for 20.
  expect(estimate(upTo(9))).toEqual({ median: 5, low: 2, high: 8 });
  expect(estimate(upTo(20))).toEqual({ median: 10.5, low: 6, high: 15 });
});

test("paired ratios: cancel a steady change of the machine", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0.1, max: 10, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 5 }),
      async (ratio, drift, rounds) => {
        let turn = 0;
        // The machine becomes slower with each turn.
        const turnOf = (time: number) => () => time * (1 + drift * turn++);
        const ratios = await pairedRatios(turnOf(100), turnOf(100 * ratio), rounds);
        expect(ratios).toHaveLength(rounds);
        for (const each of ratios) expect(each / ratio).toBeCloseTo(1);
      },
    ),
  );
});

test("the command line: has defaults, and selects parts by name", () => {
  const options = readOptions(["--only", "gateway gRPC, codec"]);
  expect(options).toEqual({
    part: undefined,
    against: undefined,
    calls: 256,
    warmUp: 12_000,
    rounds: 24,
    turns: 4,
    connections: 32,
    only: [["gateway", "grpc"], ["codec"]],
    self: false,
    json: false,
    record: false,
  });
  if (options === undefined) throw new Error("expected options");
  expect(readOptions(["--quick"])).toEqual(readOptions(["pair"]));
  const names = ["gateway gRPC 25 KB", "gateway Connect proto 1 KB", "hand-written gRPC 1 KB", "codec"];
  expect(names.filter((name) => isWanted(options, name))).toEqual(["gateway gRPC 25 KB", "codec"]);
  const sized = { ...options, only: [["25", "kb"]] };
  expect(["25 KB", "25 KB varied", "250 KB", "2.5 MB"].filter((name) => isWanted(sized, name))).toEqual([
    "25 KB",
    "25 KB varied",
  ]);
});

test.each([
  [["--rounds", "0"], '--rounds: expected a whole number from 1 to 99, got "0"'],
  [["--rounds", "1.5"], '--rounds: expected a whole number from 1 to 99, got "1.5"'],
  [["--calls", ""], '--calls: expected a whole number from 8 to 100000, got ""'],
  [["--warm-up", "7"], '--warm-up: expected a whole number from 8 to 1000000, got "7"'],
  [["--connections", "5000"], '--connections: expected a whole number from 1 to 1000, got "5000"'],
  [["calls", "--quick"], '--quick: measures "pair", not "calls"'],
  [["--against", ".."], '--against: expected the part "pair"'],
  [["pair", "--against", "..", "--record"], "--record: expected a comparison with a proxy, got --against"],
])("the command line: rejects %j", (args, text) => {
  expect(() => readOptions(args)).toThrow(text);
});

test("contestants in Go are skipped with a reason if Go is missing", () => {
  expect(buildGo("/nowhere/go")).toMatch(/^go cannot be run: .*\/nowhere\/go ENOENT$/);
});

const sample = { name: "x", unit: "ms", value: 5 };

test("the bounds of reliability: a value equal to the bound meets it, and NaN never does", () => {
  expect(holds({ ...sample, bound: { atMost: 5 } })).toBe(true);
  expect(holds({ ...sample, bound: { atMost: 4.9 } })).toBe(false);
  expect(holds({ ...sample, bound: { atLeast: 5 } })).toBe(true);
  expect(holds({ ...sample, bound: { atLeast: 5.1 } })).toBe(false);
  for (const bound of [{ atMost: 5 }, { atLeast: 5 }]) {
    expect(holds({ ...sample, value: Number.NaN, bound })).toBe(false);
  }
});

test("the bounds of reliability: are shown next to the values of the gateway and of other servers", () => {
  const text = figureLines([{ ...sample, bound: { atMost: 1 }, beside: { bare: "never", other: 2.345 } }]);
  expect(text.replace(/ +/g, " ")).toBe("FAILS x 5 ms <= 1 (bare: never, other: 2.35)");
});

test("the bounds of reliability: use the times of the quietest round", () => {
  const rounds = [
    [9, 1, 2],
    [3, 4, 5],
  ];
  expect([quietest(rounds, 0.5), quietest(rounds, 1)]).toEqual([2, 5]);
});

test.each([
  [["--only", "bombs, nothing"], /^Error: --only: expected bombs, costs, unread, .*, got "nothing"$/],
  [["--calls", "1.5"], /^Error: --calls: expected a whole number from 100, got "1.5"$/],
])("the bounds of reliability: reject %j", async (args, text) => {
  expect(String(await benchReliability(args).catch((error: unknown) => error))).toMatch(text);
});

test("the bounds of reliability: include the number of requests to an upstream that is down", async () => {
  const args = ["bench/bench.ts", "reliability", "--only", "retries", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const [retries] = JSON.parse(stdout);
  expect(retries).toMatchObject({
    bound: { atMost: 1.2 },
    holds: true,
    beside: { "bare with RetryAgent": 6 },
  });
});

test("every contestant serves the page, and the run computes ratios", async () => {
  const quick = [
    "--calls",
    "8",
    "--warm-up",
    "8",
    "--rounds",
    "1",
    "--turns",
    "1",
    "--connections",
    "4",
    "--json",
  ];
  // The codec is measured manually, since it takes a minute.
  const args = ["bench/bench.ts", ...quick, "--only", "proxy, hand-written, gateway"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const { calls } = JSON.parse(stdout);
  // The proxy, and two servers with four protocols each, with six pages.
  expect(calls).toHaveLength(54);
  const grpc = calls.find((row: { name: string }) => row.name === "gateway gRPC");
  expect(Object.keys(grpc.cpu)).toEqual(["proxy", "hand-written"]);
  for (const { median, low, high } of Object.values<Estimate>(grpc.cpu)) {
    expect(median).toBeGreaterThan(0);
    expect([low, high]).toEqual([median, median]);
  }
});

/** Runs the pair with as few calls as possible. */
async function runPair(...args: string[]): Promise<PairFigures[]> {
  const quick = ["--warm-up", "8", "--rounds", "1", "--connections", "4", "--json"];
  const command = ["bench/bench.ts", "pair", ...quick, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
  return JSON.parse(stdout).pair;
}

test("the pair compares the gateway with a proxy that forwards the page, or inflates it first", async () => {
  const figures = await runPair();
  expect(figures.map(({ name, page, baseline }) => [name, page, baseline])).toEqual([
    ["gateway Connect proto", "1 KB", "proxy"],
    ["gateway Connect proto", "25 KB", "proxy"],
    ["gateway Connect proto", "25 KB varied", "proxy"],
    ["gateway Connect proto", "25 KB varied, gzip", "inflating proxy"],
    ["gateway Connect JSON", "25 KB", "proxy"],
    ["gateway gRPC", "1 KB", "proxy"],
    ["gateway gRPC", "25 KB", "proxy"],
  ]);
  for (const { cpuMicroseconds, ratio } of figures) {
    expect(cpuMicroseconds).toBeGreaterThan(0);
    expect(ratio.median).toBeGreaterThan(0);
  }
}, 120_000);

test("the pair compares the gateways of two checkouts", async () => {
  const figures = await runPair("--against", ".", "--only", "pair gateway gRPC-Web 1");
  expect(figures).toMatchObject([{ name: "gateway gRPC-Web", page: "1 KB", baseline: "." }]);
  await expect(runPair("--against", "docs")).rejects.toThrow(
    'bench: --against: expected a checkout of this repository, got "docs"',
  );
}, 120_000);

test("the benchmark measures the startup of a bare server, the published gateway and a checkout", async () => {
  const options = readOptions(["start", "--rounds", "1", "--only", "start 1"]);
  if (options === undefined) throw new Error("expected options");
  const figures = await measureStart(options);
  expect(figures.map(({ name, services }) => [name, services])).toEqual(START_NAMES.map((name) => [name, 1]));
  for (const { readyMs, ratio } of figures) {
    expect(readyMs.median).toBeGreaterThan(0);
    expect(ratio.median).toBeGreaterThan(0);
  }
}, 120_000);
