import type { Duration } from "@bufbuild/protobuf/wkt";

/**
 * Returns the interval at which a watcher requests heartbeats, in milliseconds, or undefined if it requests
 * none.
 */
export function heartbeatMs(duration: Duration | undefined): number | undefined {
  const ms = duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / 1_000_000;
  return ms > 0 ? ms : undefined;
}
