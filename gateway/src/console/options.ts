import type { DescService, JsonValue } from "@bufbuild/protobuf";
import type { AccessRejection, Subject } from "connect-rest-authorization";
import { isLoopback } from "../listener/hosts.ts";
import type { HttpRequest } from "../listener/http.ts";
import type { MetricsSnapshot } from "../metrics/metrics.ts";

/** Example request messages as ProtoJSON, by method: `package.Service/Method`. */
export type Examples = Readonly<Record<string, JsonValue>>;

/** The content of the console. */
export interface ConsoleOptions {
  readonly services: readonly DescService[];
  readonly examples: Examples;
  /** Whether `connectrest.explain.v1.ExplainService` is served. */
  readonly hasExplain: boolean;
  /** Returns the state of the gateway. */
  readonly state: () => Promise<ConsoleState>;
  /**
   * Checks the token of a request for data. Default: everybody may read the data.
   *
   * @returns the content of the token, or the rejection
   */
  readonly authenticate?: ((request: HttpRequest) => Found | Promise<Found>) | undefined;
  /** Loads the comments of the .proto files by full name. */
  readonly comments: () => Promise<ReadonlyMap<string, string>>;
}

type Found = Subject | AccessRejection | undefined;

/** A failed call, without anything that its caller or an upstream has written. */
export interface Failure {
  /** The end of the call, in milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly code: string;
  /** The reason in `google.rpc.ErrorInfo`; empty if there is none. */
  readonly reason: string;
  readonly durationMs: number;
}

/** The counts of all processes of a gateway. */
export interface Survey {
  /** The number of processes. */
  readonly processes: number;
  /** The metrics, merged if there are several processes. */
  readonly metrics: MetricsSnapshot;
  /** The latest failed calls, the latest first. */
  readonly failures: readonly Failure[];
}

/** The state of a gateway. */
export interface ConsoleState extends Pick<Survey, "processes" | "failures"> {
  readonly limits: Readonly<Record<string, number>>;
  /** The metrics by name, with their series. */
  readonly metrics: Readonly<Record<string, readonly Series[]>>;
}

/** A series of a metric. The series of a histogram are its count and its sum. */
interface Series {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

/** The settings that decide whether the console is served. */
export interface ConsoleSettings {
  /** Default: whether only this machine can reach the gateway. */
  readonly console?: boolean | undefined;
  readonly host: string;
  readonly hosts?: readonly string[] | undefined;
}

/**
 * Returns whether the console is served. By default it is served only where nobody but the users of this
 * machine can open it.
 */
export function isConsoleServed({ console, host, hosts }: ConsoleSettings): boolean {
  return console ?? (isLoopback(host) && hosts === undefined);
}
