import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { CHART_VALUES, Chart } from "./chart.tsx";
import { session } from "./session.ts";
import {
  callRates,
  type Failure,
  latencies,
  methodCalls,
  type Sample,
  type Series,
  type State,
  total,
} from "./state.ts";
import { Table } from "./table.tsx";

/** The time between two samples, in milliseconds. */
const SAMPLE_MS = 2000;

/** The metrics that count towards limits. */
const COUNTS: Readonly<Record<string, string>> = {
  callsInFlight: "calls_in_flight",
  queuedCalls: "calls_queued",
  watchers: "watchers",
  connections: "connections",
};

const CIRCUITS = ["closed", "half open", "open"];

/** The state of the gateway: calls, limits, upstreams, differences and rejections. */
export function StatePage() {
  const { samples, problem } = useSamples();
  const state = samples.at(-1)?.state;
  return (
    <div class="state-page">
      <h1>State</h1>
      <p class="lead">
        Since the gateway started
        {state === undefined || state.processes === 1 ? "" : `, all ${state.processes} workers together`}.
        Updated every two seconds.
      </p>
      {problem === undefined ? null : <p role="alert">{problem}</p>}
      {state === undefined ? null : (
        <>
          <div class="charts">
            <Chart name="Calls" values={callRates(samples)} unit="per second" />
            <Chart name="Latency" values={latencies(samples)} unit="ms" />
          </div>
          <Limits state={state} />
          <Rows name="Upstreams" rows={upstreams(state)} none="No upstream has been called." />
          <Rows name="Latest failures" rows={state.failures.map(failureRow)} none="No call has failed." />
          <Rows name="Calls" rows={methodRows(state)} none="No method has been called." />
          <Rows
            name="Differences"
            rows={seriesRows(state.metrics.differences_total)}
            none="No response differed from its description."
          />
          <Rows
            name="Rejections"
            rows={seriesRows([
              ...(state.metrics.refusals_total ?? []),
              ...(state.metrics.rejected_requests_total ?? []),
            ])}
            none="No call exceeded a limit."
          />
        </>
      )}
    </div>
  );
}

function useSamples() {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const load = async () => {
      try {
        const response = await session.fetch("/console/state.json");
        if (!response.ok) throw new Error(`status ${response.status}`);
        const state = (await response.json()) as State;
        setSamples((all) => [...all, { at: performance.now(), state }].slice(-CHART_VALUES - 1));
        setProblem(undefined);
      } catch (error) {
        setProblem(`The gateway does not respond: ${String(error)}`);
      }
    };
    void load();
    const timer = setInterval(() => void load(), SAMPLE_MS);
    return () => clearInterval(timer);
  }, []);
  return { samples, problem };
}

function Limits({ state }: { state: State }) {
  return (
    <section class="card" aria-label="Limits">
      <h2>Limits</h2>
      <dl class="limits">
        {Object.entries(state.limits).map(([name, limit]) => {
          const value = total(state, COUNTS[name] ?? "");
          return (
            <div key={name}>
              <dt id={`limit-${name}`}>{name}</dt>
              <dd>
                <meter aria-labelledby={`limit-${name}`} max={limit} high={limit * 0.8} value={value} />
                {value.toLocaleString("en")} of {limit.toLocaleString("en")}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

interface RowsProps {
  readonly name: string;
  readonly rows: readonly JsonObject[];
  readonly none: string;
}

function Rows({ name, rows, none }: RowsProps) {
  return (
    <section class="card" aria-label={name}>
      <h2>{name}</h2>
      {rows.length === 0 ? <p class="none">{none}</p> : <Table rows={rows} label={`${name} as a table`} />}
    </section>
  );
}

function upstreams(state: State): JsonObject[] {
  const { origin_running: running = [], breaker_state: circuits = [] } = state.metrics;
  return running.map(({ labels, value }) => {
    const { upstream = "", origin = "" } = labels;
    const isSame = (each: Series) => each.labels.upstream === upstream && each.labels.origin === origin;
    const circuit = circuits.find(isSame);
    const limit = state.metrics.origin_limit?.find(isSame);
    return {
      upstream,
      origin,
      running: value,
      waiting: total(state, "origin_waiting", { upstream, origin }),
      limit: limit?.value ?? "none",
      circuit: CIRCUITS[circuit?.value ?? 0] ?? "",
    };
  });
}

function methodRows(state: State): JsonObject[] {
  return methodCalls(state).map(({ method, calls, failures, averageMs }) => {
    return { method, calls, failures, average: `${averageMs.toFixed(1)} ms` };
  });
}

function failureRow({ at, method, code, reason, durationMs }: Failure): JsonObject {
  return { time: new Date(at).toLocaleTimeString(), method, code, reason, duration: `${durationMs} ms` };
}

function seriesRows(series: readonly Series[] = []): JsonObject[] {
  return series
    .filter(({ value }) => value > 0)
    .map(({ labels, value }) => ({ ...labels, count: value }))
    .slice(0, 100);
}
