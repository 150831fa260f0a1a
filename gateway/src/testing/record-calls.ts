/**
 * Records the outcomes of all compared calls through connect's handlers. After adding a case, run `node
 * gateway/src/testing/record-calls.ts`, and review the changes.
 */
import { startObservedWay, WAY_SETUPS } from "./observed-ways.ts";
import { RECORDED_CASES, RECORDED_SETTINGS, recorded, writeRecordedCalls } from "./recorded-calls.ts";

const setup = WAY_SETUPS.find(({ name }) => name === "connect's handlers, first attempt");
if (setup === undefined) throw new Error("connect's handlers are no way");
await using way = await startObservedWay(setup, RECORDED_SETTINGS);
const calls: Record<string, unknown> = {};
for (const each of RECORDED_CASES) {
  if (each.name in calls) throw new Error(`two cases are called ${each.name}`);
  calls[each.name] = await recorded(way, each);
}
writeRecordedCalls(calls);
