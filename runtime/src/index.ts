export type { Clock, Difference, DifferenceClass, DifferenceLevels } from "connect-rest-codec/internal";
export type { ServiceAdapter } from "./adapter/adapter.ts";
export type { BreakerReport } from "./breaker/breaker.ts";
export type { BreakerOptions } from "./breaker/breaker-options.ts";
export type { CallOptions, RouteOptions, StreamCallOptions } from "./call/call-options.ts";
export type { FeedBus } from "./call/feed-bus.ts";
export type {
  CallReport,
  DifferenceOptions,
  DifferenceReport,
  RequestEnd,
  RequestObserver,
  RequestReport,
  RestOptions,
} from "./call/options.ts";
export type { WatchOptions } from "./call/watch-options.ts";
export type { Credentials, CredentialsContext, CredentialsFunction } from "./credentials/credentials.ts";
export { reasonOf } from "./errors/rest-error.ts";
export type { ErrorReason } from "./errors/table.ts";
export { type WatchLoopOptions, watch } from "./feed/watch.ts";
export { type Heartbeat, HeartbeatSchema, type Resume, ResumeSchema } from "./gen/connectrest/v1/feed_pb.ts";
export { type UpstreamError, UpstreamErrorSchema } from "./gen/connectrest/v1/upstream_error_pb.ts";
export type { FetchFunction } from "./http/fetch-function.ts";
export type { RateLimitOptions } from "./rate-limit/rate-limit-options.ts";
export {
  createRest,
  createRestTransport,
  type Rest,
  type RestTransport,
  restRoutes,
} from "./rest.ts";
export type { RetryOptions } from "./retry/retry-options.ts";
export type { MessageStream } from "./stream/message-stream.ts";
export { Secret } from "./text/secret.ts";
export type { UpstreamOptions } from "./upstream/options.ts";
export { proxyFromEnvironment } from "./upstream/proxy-environment.ts";
export type { ProxyOptions } from "./upstream/proxy-options.ts";
export type { ClientOptions } from "./upstream/supplied-client.ts";
export type { TlsOptions } from "./upstream/tls-options.ts";
export {
  createUpstreamFetch,
  type UpstreamFetch,
  type UpstreamFetchOptions,
} from "./upstream/upstream-fetch.ts";
