import type { Duration } from "@bufbuild/protobuf/wkt";

/** How often a watcher wants to hear of its stream, in milliseconds; undefined for never. */
export function heartbeatMs(duration: Duration | undefined): number | undefined {
  const ms = duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / 1_000_000;
  return ms > 0 ? ms : undefined;
}
