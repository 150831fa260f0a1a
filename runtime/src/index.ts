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
export type { Clock } from "./clock.ts";
export type {
  BasicCredentials,
  Credentials,
  CredentialsContext,
  CredentialsFunction,
  CredentialsSource,
  OAuth1Credentials,
} from "./credentials/credentials.ts";
export { Secret } from "./credentials/secret.ts";
export { reasonOf } from "./errors/rest-error.ts";
export { ERRORS, type ErrorEntry, type ErrorReason } from "./errors/table.ts";
export { type UpstreamError, UpstreamErrorSchema } from "./gen/connectrest/v1/upstream_error_pb.ts";
export type { Outcome } from "./invoke.ts";
export type { RateLimitOptions } from "./limits/rate-limit-options.ts";
export {
  type CallReport,
  DEFAULT_TIMEOUT_MS,
  type DriftReport,
  type RequestEnd,
  type RequestObserver,
  type RequestReport,
  type RestOptions,
} from "./options.ts";
export {
  type CallOptions,
  createRest,
  createRestTransport,
  type Rest,
  type RestTransport,
  type RouteOptions,
  restRoutes,
} from "./rest.ts";
export type { BreakerReport, BreakerState } from "./upstream/breaker.ts";
export type { BreakerOptions } from "./upstream/breaker-options.ts";
export { UPSTREAM_DEFAULTS, type UpstreamOptions } from "./upstream/options.ts";
export type { RetryOptions } from "./upstream/retry-options.ts";
export { VERSION } from "./version.ts";
export type { Drift } from "./wire/drift.ts";
