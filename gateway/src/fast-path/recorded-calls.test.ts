import { afterAll, beforeAll, expect, test } from "vitest";
import { type ObservedWay, startObservedWay, WAY_SETUPS } from "../testing/observed-ways.ts";
import {
  comparableRecord,
  isOnPurpose,
  RECORDED_CASES,
  RECORDED_SETTINGS,
  readRecordedCalls,
  recorded,
} from "../testing/recorded-calls.ts";

let way: ObservedWay;
beforeAll(async () => {
  const [setup] = WAY_SETUPS;
  if (setup === undefined) throw new Error("there is no way");
  way = await startObservedWay(setup, RECORDED_SETTINGS);
});
afterAll(() => way[Symbol.asyncDispose]());

/** The number of cases that one test compares. */
const CASES_PER_TEST = 500;

test.each(
  Array.from({ length: Math.ceil(RECORDED_CASES.length / CASES_PER_TEST) }, (_, at) => at * CASES_PER_TEST),
)(
  "calls from case %i on have the same outcome as the recorded calls through connect's handlers",
  async (from) => {
    const expected = readRecordedCalls();
    for (const each of RECORDED_CASES.slice(from, from + CASES_PER_TEST)) {
      const seen = { name: each.name, seen: comparableRecord(each, await recorded(way, each)) };
      const same = { name: each.name, seen: comparableRecord(each, expected[each.name]) };
      if (isOnPurpose(each)) {
        expect(seen).not.toEqual(same);
      } else {
        expect(seen).toEqual(same);
      }
    }
  },
);
