import path from "node:path";
import { UPSTREAM_DEFAULTS } from "connect-rest-runtime/internal";
import { DEFAULT_UPSTREAM_CALLS } from "../admission/admission.ts";
import type { Prepared } from "../config/inspect.ts";
import type { GatewayUpstream } from "../gateway.ts";
import { isShared, LIMIT_NAMES, LIMIT_TABLE, type LimitOptions } from "../limits.ts";

/** The number of a worker, and the number of workers. */
interface Share {
  readonly number: number;
  readonly count: number;
  readonly resumeKey: string;
}

/**
 * Returns a worker's share of each limit that applies to all workers together: an equal part, rounded up, and
 * thus never 0.
 */
export function shareLimits(limits: LimitOptions, workers: number): LimitOptions {
  const shared = LIMIT_NAMES.filter(isShared).map((name) => {
    return [name, Math.ceil((limits[name] ?? LIMIT_TABLE[name].default) / workers)] as const;
  });
  return { ...limits, ...Object.fromEntries(shared) };
}

/** Returns a worker's share of an upstream's connections, concurrent calls, and declared rate limits. */
export function shareUpstream(upstream: GatewayUpstream, workers: number): GatewayUpstream {
  const { rateLimits, connections, callsInFlight } = upstream;
  return {
    ...upstream,
    callsInFlight: Math.ceil((callsInFlight ?? DEFAULT_UPSTREAM_CALLS) / workers),
    connections: Math.ceil((connections ?? UPSTREAM_DEFAULTS.connections) / workers),
    rateLimits: rateLimits !== false && { share: (rateLimits?.share ?? 1) / workers },
  };
}

/**
 * Returns the configuration of one worker. Each worker has a separate port for diagnostics, and a separate
 * file for its recording.
 */
export function shareConfiguration(prepared: Prepared, { number, count, resumeKey }: Share): Prepared {
  const { config, upstreams, watching } = prepared;
  const { server } = config;
  const { diagnostics } = server;
  const shared = Object.entries(upstreams).map(([name, each]) => [name, shareUpstream(each, count)] as const);
  return {
    ...prepared,
    config: {
      ...config,
      record: config.record && { ...config.record, file: fileOf(config.record.file, number) },
      server: {
        ...server,
        limits: shareLimits(server.limits, count),
        diagnostics: diagnostics && { ...diagnostics, port: portOf(diagnostics.port, number) },
      },
    },
    upstreams: Object.fromEntries(shared),
    watching: { ...watching, watch: { resumeKey, ...watching.watch } },
  };
}

/** Returns a worker's file: `recording.har` becomes `recording.2.har`. */
function fileOf(file: string, number: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.${number}${ext}`);
}

function portOf(first: number, number: number): number {
  return first === 0 ? 0 : first + number - 1;
}
