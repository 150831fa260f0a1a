/**
 * Records what connect's handlers do with all calls that ours are compared with: `node
 * gateway/src/testing/record-calls.ts`. Run it when a case is added, and look at what has changed.
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
