/** A series of a metric. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A failed call. */
export interface Failure {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly code: string;
  readonly reason: string;
  readonly durationMs: number;
}

/** The content of `/console/state.json`. */
export interface State {
  /** The number of processes of the gateway. */
  readonly processes: number;
  /** The latest failed calls, the latest first. */
  readonly failures: readonly Failure[];
  readonly limits: Readonly<Record<string, number>>;
  /** The series of metrics by name. */
  readonly metrics: Readonly<Record<string, readonly Series[]>>;
}

/** A state at a time in milliseconds. */
export interface Sample {
  readonly at: number;
  readonly state: State;
}

/** The calls of a method. */
export interface MethodCalls {
  readonly method: string;
  readonly calls: number;
  /** Counts of failed calls by code. */
  readonly failures: string;
  readonly averageMs: number;
}

/** Returns the sum of the series of a metric with certain labels. */
export function total(
  { metrics }: State,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const wanted = Object.entries(labels);
  return (metrics[name] ?? [])
    .filter((series) => wanted.every(([key, value]) => series.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** Returns the calls of each method, the most frequent first. */
export function methodCalls(state: State): MethodCalls[] {
  const all = state.metrics.calls_total ?? [];
  const methods = [...new Set(all.map(({ labels }) => labels.method ?? ""))];
  const rows = methods.map((method): MethodCalls => {
    const codes = Map.groupBy(
      all.filter(({ labels }) => labels.method === method && labels.code !== "ok"),
      ({ labels }) => labels.code ?? "",
    );
    const counts = [...codes].map(
      ([code, series]) => `${code} ${series.reduce((sum, { value }) => sum + value, 0)}`,
    );
    const timed = total(state, "call_duration_seconds_count", { method });
    const seconds = total(state, "call_duration_seconds_sum", { method });
    return {
      method,
      calls: total(state, "calls_total", { method }),
      failures: counts.join(", "),
      averageMs: timed === 0 ? 0 : (seconds * 1000) / timed,
    };
  });
  return rows.sort((one, other) => other.calls - one.calls);
}

/** Returns the calls per second between samples. */
export function callRates(samples: readonly Sample[]): number[] {
  return between(samples, (one, other, seconds) => change(one, other, "calls_total") / seconds);
}

/** Returns the average duration of the calls between samples in milliseconds; 0 without calls. */
export function latencies(samples: readonly Sample[]): number[] {
  return between(samples, (one, other) => {
    const count = change(one, other, "call_duration_seconds_count");
    return count <= 0 ? 0 : (change(one, other, "call_duration_seconds_sum") * 1000) / count;
  });
}

function between(
  samples: readonly Sample[],
  measure: (one: State, other: State, seconds: number) => number,
): number[] {
  return samples.slice(1).map(({ at, state }, index) => {
    const before = samples[index];
    return before === undefined ? 0 : Math.max(0, measure(before.state, state, (at - before.at) / 1000));
  });
}

function change(one: State, other: State, name: string): number {
  return total(other, name) - total(one, name);
}
