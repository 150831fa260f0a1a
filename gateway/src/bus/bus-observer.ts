import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { BusObserver, DroppedReason } from "./bus-options.ts";

/** The explanations of the reasons, for the log. */
const DROPPED: Readonly<Record<DroppedReason, string>> = {
  oversized: "it is too large",
  malformed: "it has not the fields of one",
  unreadable: "it was not sealed with a key of `bus.keys`, or is damaged",
  invalid: "it is no entry of a feed",
  overflow: "the bus was away for too long; the next window has what it says",
  stale: "another process polls by now",
};

/** Creates an observer that counts events of the bus, and logs each kind of problem once. */
export function createBusObserver(metrics: Metrics, log: Logger): BusObserver {
  const seen = new Set<string>();
  let isConnected: boolean | undefined;
  const once = (what: string, act: () => void) => {
    if (seen.has(what)) return;
    seen.add(what);
    act();
  };
  return {
    connected: (now, error) => {
      metrics.busConnected(now);
      if (now === isConnected) return;
      isConnected = now;
      if (now) {
        log.info({}, "bus connected");
      } else {
        log.warn({ cause: causeOf(error) }, "bus away: feeds are polled by each process until it is back");
      }
    },
    sent: () => metrics.busEntry("sent"),
    received: () => metrics.busEntry("received"),
    dropped: (reason) => {
      metrics.busDropped(reason);
      once(reason, () => log.warn({ reason }, `entry of the bus dropped: ${DROPPED[reason]}; logged once`));
    },
    notShared: () =>
      once("key", () => {
        log.warn(
          {},
          "a feed that is polled with credentials is not shared: the bus has no key to encrypt it; set bus.keys",
        );
      }),
  };
}

/** Returns an error's message, which may be logged: errors of the Redis client contain no secrets. */
function causeOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
