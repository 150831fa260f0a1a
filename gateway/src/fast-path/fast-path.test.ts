import { afterAll, beforeAll, expect, test } from "vitest";
import { comparable, comparableResponse } from "../testing/comparable.ts";
import { FAST_PATH_CASES, LATE, STREAM_CASES } from "../testing/fast-path-cases.ts";
import { type ObservedWay, startObservedWay, WAY_SETUPS } from "../testing/observed-ways.ts";
import { isOnPurpose, RECORDED_SETTINGS } from "../testing/recorded-calls.ts";
import { respondTalkatively } from "../testing/talkative-upstream.ts";

let ways: readonly ObservedWay[];

beforeAll(async () => {
  ways = await Promise.all(WAY_SETUPS.map((setup) => startObservedWay(setup, RECORDED_SETTINGS)));
});
afterAll(() => Promise.all(ways.map((way) => way[Symbol.asyncDispose]())));

test.each([...FAST_PATH_CASES, ...STREAM_CASES])(
  "all setups have the same response, log lines and metrics: $name",
  async (each) => {
    const { name, call } = each;
    const isMeant = isOnPurpose(each);
    const compared = ways.filter((way) => !isMeant || way.name.startsWith("fast path"));
    const all = await Promise.all(compared.map((way) => way.send(call, respondTalkatively)));
    // on a slow machine, the deadline may pass before the request is sent
    const isPassed = name.endsWith(LATE) && all.some(({ requests }) => requests.length === 0);
    const [first, ...others] = all.map(isPassed ? comparableResponse : comparable);
    for (const [index, seen] of others.entries()) {
      const way = compared[index + 1]?.name;
      expect({ way, seen }).toEqual({ way, seen: first });
    }
  },
);
