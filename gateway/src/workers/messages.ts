import type { FromBroker, ToBroker } from "../bus/group-messages.ts";
import type { UpstreamOverrides } from "../config/secrets.ts";
import type { Failure, Survey } from "../console/options.ts";
import type { MetricsSnapshot } from "../metrics/metrics.ts";

/** The first message that a worker receives. */
export interface WorkerStart {
  readonly type: "start";
  /** The worker's number, starting at 1. A worker that replaces another one gets the same number. */
  readonly number: number;
  /** The number of workers that share the limits. */
  readonly count: number;
  /** Settings for the upstreams that a sandbox replaces, by name. */
  readonly upstreams: UpstreamOverrides | undefined;
  /**
   * The key of resume tokens if none is configured. All workers share it, since a client may reconnect to
   * another worker.
   */
  readonly resumeKey: string;
}

/** The counts of a worker. */
export interface Measured {
  readonly metrics: MetricsSnapshot;
  /** The latest failed calls, the latest first; none if the console is not served. */
  readonly failures: readonly Failure[];
}

/** A message from the primary process to a worker. */
export type ToWorker =
  | WorkerStart
  /** Reload the configuration. */
  | { readonly type: "reload" }
  /** A new worker replaces this one: finish calls in flight, then exit. */
  | { readonly type: "retire" }
  /** Respond to this heartbeat. */
  | { readonly type: "beat" }
  /** Send what was counted, with the same request number. */
  | { readonly type: "measure"; readonly request: number }
  /** The response to a request for a survey, with the same request number. */
  | { readonly type: "surveyed"; readonly request: number; readonly survey: Survey }
  /** A message from the broker of feeds. */
  | { readonly type: "feed"; readonly message: FromBroker };

/** The message that a worker sends once it listens. */
export interface WorkerReady {
  readonly type: "ready";
  readonly url: string;
  readonly consoleUrl: string | undefined;
  readonly diagnosticsUrl: string | undefined;
  /** Example calls to print. */
  readonly lines: readonly string[];
}

/** A message from a worker to the primary process. */
export type FromWorker =
  | WorkerReady
  /** The response to a heartbeat. */
  | { readonly type: "beating" }
  | ({ readonly type: "measured"; readonly request: number } & Measured)
  /** The final counts of an exiting worker. */
  | ({ readonly type: "left" } & Measured)
  /** Send what all workers have counted, with the same request number. */
  | { readonly type: "survey"; readonly request: number }
  /** A message to the broker of feeds. */
  | { readonly type: "feed"; readonly message: ToBroker };
