import { afterAll, beforeAll, expect, test } from "vitest";
import { comparable, comparableResponse } from "../testing/comparable.ts";
import { FAST_PATH_CASES, type FastPathCase, LATE, STREAM_CASES } from "../testing/fast-path-cases.ts";
import { type ObservedWay, startObservedWay, WAY_SETUPS } from "../testing/observed-ways.ts";
import { RECORDED_CASES, RECORDED_SETTINGS, readRecordedCalls, recorded } from "../testing/recorded-calls.ts";
import { respondTalkatively } from "../testing/talkative-upstream.ts";

let ways: readonly ObservedWay[];

beforeAll(async () => {
  ways = await Promise.all(WAY_SETUPS.map((setup) => startObservedWay(setup, RECORDED_SETTINGS)));
});
afterAll(() => Promise.all(ways.map((way) => way[Symbol.asyncDispose]())));

test.each([...FAST_PATH_CASES, ...STREAM_CASES])(
  "all ways respond, log and count alike: $name",
  async ({ name, call }) => {
    const all = await Promise.all(ways.map((way) => way.send(call, respondTalkatively)));
    // on a slow machine a deadline may pass before the request is sent
    const isPassed = name.endsWith(LATE) && all.some(({ requests }) => requests.length === 0);
    const [first, ...others] = all.map(isPassed ? comparableResponse : comparable);
    for (const [index, seen] of others.entries()) {
      const way = ways[index + 1]?.name;
      expect({ way, seen }).toEqual({ way, seen: first });
    }
  },
);

/** Where ours differs from what connect's handlers did, and why. */
const ON_PURPOSE: ReadonlyArray<readonly [reason: string, isMeant: (each: FastPathCase) => boolean]> = [
  [
    "a GET says what is wrong with its head before its message is decompressed, as a POST does",
    ({ name }) => /^GET over .*, a bad timeout: .*compression=(?:gzip|zstd)&message=%7B/.test(name),
  ],
  [
    "the adapter's bytes are sent as they are: connect's handlers decode them, and leave out what is empty",
    ({ name }) => /^GET \S+Echo, .*: encoding=proto(?:&message=|&base64=1)? \(/.test(name),
  ],
  [
    "an error of 1 KB and more is compressed where the caller wants that, whatever it is about",
    ({ name }) => /(?:uses "x{3000}", accepts gzip|a long timeout, accepts gzip) \(/.test(name),
  ],
  [
    "what is skipped, such as the caller's trailers, is not decompressed to be skipped",
    ({ name }) => /(?:grpc-web.*: flags (?:129|255)|connect\+.*: flags (?:3|255)), (?:undefined|identity)/.test(name),
  ],
];

/** How many cases a test compares. */
const CASES_PER_TEST = 500;

test.each(
  Array.from({ length: Math.ceil(RECORDED_CASES.length / CASES_PER_TEST) }, (_, at) => at * CASES_PER_TEST),
)("calls get and leave behind what connect's handlers did, from case %i on", async (from) => {
  const expected = readRecordedCalls();
  const [way] = ways;
  for (const each of RECORDED_CASES.slice(from, from + CASES_PER_TEST)) {
    const seen = { name: each.name, seen: await recorded(way as ObservedWay, each) };
    const same = { name: each.name, seen: expected[each.name] };
    if (ON_PURPOSE.some(([, isMeant]) => isMeant(each))) {
      expect(seen).not.toEqual(same);
    } else {
      expect(seen).toEqual(same);
    }
  }
});
