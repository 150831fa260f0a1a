import type { FromBroker, ToBroker } from "../bus/group-messages.ts";
import type { UpstreamOverrides } from "../config/secrets.ts";
import type { MetricsSnapshot } from "../metrics/metrics.ts";

/** What a worker is told first of all. */
export interface WorkerStart {
  readonly type: "start";
  /** From 1 on. A worker that takes the place of another has its number. */
  readonly number: number;
  /** How many workers share the limits. */
  readonly count: number;
  /** Upstreams of a sandbox, by name. */
  readonly upstreams: UpstreamOverrides | undefined;
  /** The key of resume tokens where none is configured: a client may come back to another worker. */
  readonly resumeKey: string;
}

/** From the primary process to a worker. */
export type ToWorker =
  | WorkerStart
  /** Read the configuration again. */
  | { readonly type: "reload" }
  /** Another one has taken its place: let calls in flight finish, and exit. */
  | { readonly type: "retire" }
  /** Say that it is there. */
  | { readonly type: "beat" }
  /** Send the metrics, with the same number. */
  | { readonly type: "measure"; readonly request: number }
  /** What the broker of feeds says. */
  | { readonly type: "feed"; readonly message: FromBroker };

/** A worker listens. */
export interface WorkerReady {
  readonly type: "ready";
  readonly url: string;
  readonly diagnosticsUrl: string | undefined;
  /** What to try first. */
  readonly lines: readonly string[];
}

/** From a worker to the primary process. */
export type FromWorker =
  | WorkerReady
  /** It is there. */
  | { readonly type: "beating" }
  | { readonly type: "measured"; readonly request: number; readonly metrics: MetricsSnapshot }
  /** The last metrics of one that exits. */
  | { readonly type: "left"; readonly metrics: MetricsSnapshot }
  /** What is for the broker of feeds. */
  | { readonly type: "feed"; readonly message: ToBroker };
