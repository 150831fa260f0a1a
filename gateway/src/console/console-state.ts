import type { Limits } from "../limits.ts";
import type { ConsoleState, Survey } from "./options.ts";

/** The metrics that the console shows, without their prefix. */
const SHOWN: ReadonlySet<string> = new Set([
  ...["calls_total", "call_duration_seconds", "calls_in_flight", "calls_queued", "watchers", "connections"],
  ...["origin_running", "origin_waiting", "origin_limit", "breaker_state", "bus_feeds", "bus_feeds_led"],
  ...["differences_total", "refusals_total", "rejected_requests_total"],
]);

const PREFIX = "connect_rest_";

/**
 * Returns the state that the console shows.
 *
 * @param limits the limits of one process
 */
export function consoleState({ metrics, failures, processes }: Survey, limits: Limits): ConsoleState {
  const shown: Record<string, ConsoleState["metrics"][string][number][]> = {};
  for (const { name, values } of metrics) {
    const short = name.slice(PREFIX.length);
    if (!name.startsWith(PREFIX) || !SHOWN.has(short)) continue;
    for (const series of values) {
      const { labels, value } = series;
      const own = "metricName" in series ? String(series.metricName).slice(PREFIX.length) : short;
      if (own.endsWith("_bucket")) continue;
      shown[own] = [...(shown[own] ?? []), { labels, value }];
    }
  }
  const { callsInFlight, queuedCalls, watchers, connections } = limits;
  const all = Object.entries({ callsInFlight, queuedCalls, watchers, connections });
  return {
    processes,
    limits: Object.fromEntries(all.map(([name, limit]) => [name, limit * processes])),
    metrics: shown,
    failures,
  };
}
