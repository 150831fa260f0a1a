export type {
  AnyMethodAdapter,
  DownloadAdapter,
  MethodAdapter,
  PaginateAdapter,
  PollAdapter,
  RecordsAdapter,
  ServiceAdapter,
  UnaryAdapter,
  UploadAdapter,
} from "./adapter/adapter.ts";
export type { CredentialKind, MethodRules, RateLimitRule } from "./adapter/rules.ts";
export type { BreakerReport, BreakerState } from "./breaker/breaker.ts";
export type { BreakerOptions } from "./breaker/breaker-options.ts";
export { type MethodLevels, matchesMethod } from "./call/difference-levels.ts";
export {
  type CallReport,
  DEFAULT_TIMEOUT_MS,
  type DifferenceOptions,
  type DifferenceReport,
  type RequestEnd,
  type RequestObserver,
  type RequestReport,
  type RestOptions,
} from "./call/options.ts";
export type {
  BasicCredentials,
  Credentials,
  CredentialsContext,
  CredentialsFunction,
  CredentialsSource,
  OAuth1Credentials,
} from "./credentials/credentials.ts";
export {
  DIFFERENCE_CLASSES,
  type Difference,
  type DifferenceClass,
  type DifferenceCounts,
  type DifferenceLevel,
  type DifferenceLevels,
} from "./decode/difference.ts";
export { reasonOf } from "./errors/rest-error.ts";
export { ERRORS, type ErrorEntry, type ErrorReason } from "./errors/table.ts";
export { type UpstreamError, UpstreamErrorSchema } from "./gen/connectrest/v1/upstream_error_pb.ts";
export type { FetchFunction, FetchInit, FetchResponse } from "./http/fetch-function.ts";
export type { Outcome } from "./invoke.ts";
export type { RateLimitOptions } from "./rate-limit/rate-limit-options.ts";
export {
  type CallOptions,
  createRest,
  createRestTransport,
  type Rest,
  type RestTransport,
  type RouteOptions,
  restRoutes,
} from "./rest.ts";
export type { RetryOptions } from "./retry/retry-options.ts";
export { Secret } from "./text/secret.ts";
export type { Clock } from "./time/clock.ts";
export { nextTurn } from "./time/event-loop.ts";
export { inTurns, type TurnOptions, type Work } from "./time/work.ts";
export { isLoopbackOrigin } from "./upstream/local-host.ts";
export { UPSTREAM_DEFAULTS, type UpstreamOptions } from "./upstream/options.ts";
export { proxyFromEnvironment } from "./upstream/proxy-environment.ts";
export type { ProxyOptions, ProxySource } from "./upstream/proxy-options.ts";
export type { ClientOptions, UpstreamDispatcher } from "./upstream/supplied-client.ts";
export type { TlsOptions } from "./upstream/tls-options.ts";
export { VERSION } from "./version.ts";
