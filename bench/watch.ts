/**
 * `npm run bench -- watch`: measures streams that watch a feed, and a fleet of gateways that share a feed.
 */
import { parseArgs } from "node:util";
import { wholeIn } from "./options.ts";
import { type FleetFigures, measureFleet } from "./watch/fleet.ts";
import { type ManyFigures, measureMany } from "./watch/many.ts";

/** The maximum resident memory per stream, in bytes. */
const MOST_BYTES = 16 * 1024;
/** The maximum time until the other process polls, in milliseconds. This is two polling intervals. */
const MOST_MS = 2000;

/** Returns the text of all figures, and whether all figures are within their bounds. */
export async function benchWatch(
  args: readonly string[],
): Promise<{ readonly text: string; readonly holds: boolean }> {
  const { values } = parseArgs({
    args: [...args],
    options: { watchers: { type: "string", default: "10000" }, json: { type: "boolean", default: false } },
  });
  const count = wholeIn("--watchers", values.watchers, 1, 10_000);
  const many = [await measureMany("fast", count), await measureMany("connect", count)];
  const fleet = await measureFleet();
  const text = values.json ? JSON.stringify({ many, fleet }, null, 2) : textOf(many, fleet);
  return { text, holds: holds(many, fleet) };
}

function holds([fast]: readonly ManyFigures[], fleet: FleetFigures | undefined): boolean {
  if (fast !== undefined && fast.resident > MOST_BYTES) return false;
  return fleet === undefined || (fleet.takeOverMs <= MOST_MS && fleet.lost === 0 && fleet.repeated === 0);
}

function textOf(many: readonly ManyFigures[], fleet: FleetFigures | undefined): string {
  const rows: ReadonlyArray<readonly [string, (figures: ManyFigures) => string]> = [
    ["watchers", ({ watchers }) => String(watchers)],
    ["polls, in so many intervals", ({ polls, intervals }) => `${polls} in ${intervals}`],
    ["poll to last delivery, ms", ({ deliveryMs }) => deliveryMs.toFixed(0)],
    ["resident memory a watcher, KiB", ({ resident }) => (resident / 1024).toFixed(1)],
    ["heap a watcher, KiB", ({ heap }) => (heap / 1024).toFixed(1)],
    ["CPU us/delivered event", ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1)],
  ];
  const lines = [["one feed over HTTP/2", ...many.map(({ path }) => `${path} path`)]];
  for (const [name, cell] of rows) lines.push([name, ...many.map(cell)]);
  const table = lines.map(([name = "", ...cells]) =>
    [name.padEnd(32), ...cells.map((cell) => cell.padStart(14))].join(""),
  );
  return [...table, "", fleetText(fleet)].join("\n");
}

function fleetText(fleet: FleetFigures | undefined): string {
  if (fleet === undefined) return "two gateways on one Redis: skipped, redis-server is not installed";
  const { watchers, events, takeOverMs, lost, repeated } = fleet;
  return `two gateways on one Redis, ${watchers} watchers, ${events} events, polls 1000 ms apart, kill -9 of the one that polls: the other one polled after ${takeOverMs.toFixed(0)} ms; lost ${lost}, repeated ${repeated}`;
}
