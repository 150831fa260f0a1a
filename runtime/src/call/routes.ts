import type {
  AnyMethodAdapter,
  DownloadAdapter,
  OperationAdapter,
  PaginateAdapter,
  PollAdapter,
  RecordsAdapter,
  ServiceAdapter,
  UnaryAdapter,
  UploadAdapter,
} from "../adapter/adapter.ts";
import type { RateLimitRule } from "../adapter/rules.ts";
import { restError } from "../errors/rest-error.ts";
import { isTimeZone } from "../rate-limit/calendar-day.ts";
import { fullName } from "../text/full-name.ts";
import { baseOf, type UpstreamOptions } from "../upstream/options.ts";
import { createUpstream } from "../upstream/pooled-upstream.ts";
import type { Upstream, UpstreamContext } from "../upstream/upstream.ts";

/** The adapter of a method, and its upstream. */
export interface Route<A extends AnyMethodAdapter = AnyMethodAdapter> {
  readonly adapter: A;
  readonly upstream: Upstream;
}

/** The adapters of methods that return a stream. */
export type StreamAdapter =
  | PaginateAdapter
  | PollAdapter
  | RecordsAdapter
  | OperationAdapter
  | DownloadAdapter;

/** Reports whether a method has one request and one response. */
export function isUnary(route: Route): route is Route<UnaryAdapter> {
  return route.adapter.kind === "unary";
}

/** Reports whether a method has a stream of requests and one response. */
export function isUpload(route: Route): route is Route<UploadAdapter> {
  return route.adapter.kind === "upload";
}

/** Reports whether a method has one request and a stream of responses. */
export function isStream(route: Route): route is Route<StreamAdapter> {
  return !isUnary(route) && !isUpload(route);
}

/**
 * Connects adapters to upstreams, and checks that they match.
 *
 * @returns the routes by the full names of methods, and all upstreams
 * @throws ConnectError for an invalid configuration: SERVICE_DUPLICATE, UPSTREAM_UNKNOWN,
 * UPSTREAM_BASE_UNKNOWN, UPSTREAM_OPTION_INVALID, METHOD_RULES_INVALID
 */
export function connectUpstreams(
  adapters: readonly ServiceAdapter[],
  options: Readonly<Record<string, UpstreamOptions>>,
  context: UpstreamContext,
): { readonly routes: ReadonlyMap<string, Route>; readonly upstreams: readonly Upstream[] } {
  checkServices(adapters);
  const upstreams = new Map(
    Object.entries(options).map(
      ([name, upstream]) => [name, createUpstream(name, upstream, context)] as const,
    ),
  );
  const methods = adapters.flatMap((adapter) => Object.values(adapter.methods));
  const routes = new Map(
    methods.map((adapter) => [fullName(adapter.method), route(adapter, upstreams)] as const),
  );
  return { routes, upstreams: [...upstreams.values()] };
}

function checkServices(adapters: readonly ServiceAdapter[]): void {
  const seen = new Set<string>();
  for (const { service } of adapters) {
    if (seen.has(service.typeName)) throw restError("SERVICE_DUPLICATE", { service: service.typeName });
    seen.add(service.typeName);
  }
}

function route(adapter: AnyMethodAdapter, upstreams: ReadonlyMap<string, Upstream>): Route {
  const { method, rules } = adapter;
  const upstream = upstreams.get(rules.upstream);
  if (upstream === undefined) {
    throw restError("UPSTREAM_UNKNOWN", {
      service: method.parent.typeName,
      upstream: rules.upstream,
      configured: list([...upstreams.keys()]),
    });
  }
  checkBase(adapter, upstream);
  if (rules.credentials.includes("api_key") && !rules.apiKey?.query && !rules.apiKey?.header) {
    throw restError("METHOD_RULES_INVALID", {
      method: fullName(method),
      problem: "expected a place for its API key, got none",
    });
  }
  checkRateLimits(adapter);
  return { adapter, upstream };
}

function checkRateLimits({ method, rules: { rateLimits = [] } }: AnyMethodAdapter): void {
  for (const rule of rateLimits) {
    const problem = problemOf(rule);
    if (problem !== undefined) throw restError("METHOD_RULES_INVALID", { method: fullName(method), problem });
  }
}

function problemOf({ requests, windowMs, calendarDay }: RateLimitRule): string | undefined {
  if (!(requests >= 1)) return `expected a rate limit of at least one request, got ${requests}`;
  if (calendarDay === undefined) {
    return windowMs > 0 ? undefined : `expected a rate limit with a window, got ${windowMs} ms`;
  }
  return isTimeZone(calendarDay) ? undefined : `expected a rate limit by a time zone, got "${calendarDay}"`;
}

function checkBase({ method, rules }: AnyMethodAdapter, { name, settings }: Upstream): void {
  if (baseOf(settings, rules.base) !== undefined) return;
  throw restError("UPSTREAM_BASE_UNKNOWN", {
    method: fullName(method),
    base: rules.base,
    upstream: name,
    configured: list([...settings.bases.keys()].filter((base) => base !== "")),
  });
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
