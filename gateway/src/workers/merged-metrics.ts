import { AggregatorRegistry, Counter, Gauge, Registry } from "prom-client";
import type { Survey } from "../console/options.ts";
import { latestOf } from "../console/recent-failures.ts";
import {
  type MetricsFormat,
  type MetricsSnapshot,
  type RenderedMetrics,
  renderMetrics,
} from "../metrics/metrics.ts";
import type { Measured } from "./messages.ts";

/** Metric types whose values only grow, and so must not decrease when a worker exits. */
const GROWING = new Set(["counter", "histogram"]);

/** The metrics of all workers together: their sums, and the metrics of the primary process. */
export class MergedMetrics {
  private readonly own = new Registry();
  private readonly collect: () => Promise<readonly Measured[]>;
  /** The sums of the counts of workers that have exited. */
  private past: MetricsSnapshot = [];
  private readonly restarts = new Counter({
    name: "connect_rest_worker_restarts_total",
    help: "Workers that ended by themselves, and were started again.",
    registers: [this.own],
  });

  /** @param collect returns the counts of the running workers */
  constructor(ready: () => number, collect: () => Promise<readonly Measured[]>) {
    this.collect = collect;
    new Gauge({
      name: "connect_rest_workers",
      help: "Workers that listen.",
      registers: [this.own],
      collect() {
        this.set(ready());
      },
    });
  }

  restarted(): void {
    this.restarts.inc();
  }

  /** Adds the counts of a worker that has exited. */
  async keep(snapshot: MetricsSnapshot): Promise<void> {
    const growing = snapshot.filter(({ type }) => GROWING.has(String(type)));
    this.past = await AggregatorRegistry.aggregate([this.past, growing]).getMetricsAsJSON();
  }

  async render(format: MetricsFormat): Promise<RenderedMetrics> {
    const workers = await this.collect();
    const own = await this.own.getMetricsAsJSON();
    return renderMetrics(this.merge([...workers.map(({ metrics }) => metrics), own]), format);
  }

  /** Returns what the console shows. */
  async survey(): Promise<Survey> {
    const workers = await this.collect();
    return {
      processes: workers.length,
      metrics: await this.merge(workers.map(({ metrics }) => metrics)).getMetricsAsJSON(),
      failures: latestOf(workers.flatMap(({ failures }) => failures)),
    };
  }

  private merge(snapshots: readonly MetricsSnapshot[]): Registry {
    return AggregatorRegistry.aggregate([this.past, ...snapshots]);
  }
}
