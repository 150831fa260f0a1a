/** The metrics that the gateway exports, with their labels. */

import { EchoService } from "../../gateway/src/gen/echo/v1/echo_pb.ts";
import { Metrics } from "../../gateway/src/metrics/metrics.ts";
import { MergedMetrics } from "../../gateway/src/workers/merged-metrics.ts";

/** The label names of metrics, by name. Histograms have their `_bucket`, `_sum` and `_count` series. */
export type Exposition = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the metrics in the text format of Prometheus. Metrics without a series have no labels. */
export function parseExposition(text: string): Exposition {
  const labels = new Map<string, Set<string>>();
  const add = (name: string) => {
    const known = labels.get(name) ?? new Set();
    labels.set(name, known);
    return known;
  };
  for (const line of text.split("\n")) {
    const [, metric, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? [];
    if (metric !== undefined) add(type === "histogram" ? `${metric}_bucket` : metric);
    const [, name, pairs = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = add(name);
    for (const [, label = ""] of pairs.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
  }
  return labels;
}

/** Returns the text of all metrics that a gateway can have, each with at least one series. */
export async function allMetrics(): Promise<string> {
  const metrics = new Metrics({ perMethod: true });
  const method = EchoService.method.echo;
  const [upstream, origin, outcome] = ["echo", "http://echo.test", "ok"];
  metrics.watchProcess();
  metrics.watch({
    callsInFlight: () => 1,
    callsQueued: () => 1,
    watchers: () => 1,
    connections: () => 1,
    logLinesDropped: () => 1,
    certificateExpiry: () => 1,
  });
  metrics.called(
    { method, protocol: "grpc", startedAt: 0 } as unknown as Parameters<Metrics["called"]>[0],
    "ok",
  );
  metrics.requested({ upstream, method } as unknown as Parameters<Metrics["requested"]>[0], "200", 1);
  metrics.differed({
    method,
    differences: [{ path: "text", class: "lost" }],
    counts: { additional: 0, converted: 0, lost: 1 },
  } as unknown as Parameters<Metrics["differed"]>[0]);
  metrics.headersDropped(upstream, 1);
  metrics.overLimit("callsInFlight");
  metrics.rejected(404);
  metrics.authorized("token", outcome);
  metrics.tokenChecked(outcome);
  metrics.tokenGranted("refresh_token", outcome);
  metrics.tokenReused("code");
  metrics.signedIn(upstream, outcome);
  metrics.sessionRefreshed(upstream, outcome);
  metrics.sessionEnded(upstream);
  metrics.tlsFailed();
  metrics.violated();
  metrics.breakerChanged({ upstream, origin, state: "open" } as Parameters<Metrics["breakerChanged"]>[0]);
  metrics.watchOrigins(() => [{ upstream, origin, limit: 1, running: 1, waiting: 0 }]);
  metrics.busConnected(true);
  metrics.busEntry("sent");
  metrics.busDropped("oversized");
  metrics.watchBus(() => ({ joined: 1, led: 1 }));
  const merged = new MergedMetrics(
    () => 1,
    async () => [{ metrics: await metrics.snapshot(), failures: [] }],
  );
  merged.restarted();
  return (await merged.render("prometheus")).body;
}
