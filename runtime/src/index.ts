export type { Clock } from "connect-rest-codec/internal";
export {
  DIFFERENCE_CLASSES,
  type Difference,
  type DifferenceClass,
  type DifferenceCounts,
  type DifferenceLevel,
  type DifferenceLevels,
} from "connect-rest-codec/internal";
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
  type FeedBus,
  type FeedEntryKind,
  type FeedMember,
  type FeedName,
  type FeedSeat,
  LOCAL_BUS,
} from "./call/feed-bus.ts";
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
export { WATCH_DEFAULTS, type WatchOptions } from "./call/watch-options.ts";
export type {
  BasicCredentials,
  Credentials,
  CredentialsContext,
  CredentialsFunction,
  CredentialsSource,
  FixedCredentials,
  OAuth1Credentials,
  OAuth2Credentials,
} from "./credentials/credentials.ts";
export type { Parameter } from "./credentials/oauth1.ts";
export {
  type OAuth1Moment,
  type OAuth1Request,
  type OAuth1Signer,
  type OAuth1TokenText,
  readOAuth1Token,
  signOAuth1,
} from "./credentials/oauth1-token.ts";
export type { OAuth2Grant, TokenStore } from "./credentials/oauth2-grant.ts";
export { isMarked as isRedactedField } from "./errors/redacted-fields.ts";
export { reasonOf } from "./errors/rest-error.ts";
export { ERRORS, type ErrorEntry, type ErrorReason } from "./errors/table.ts";
export {
  decodeFeedEntry,
  encodeFeedEntry,
  type FeedEntry,
  FeedEntryInvalid,
  type FeedItem,
  MAX_ENTRY_BYTES,
} from "./feed/bus-entry.ts";
export { type FeedItemOf, type WatchLoopOptions, watch } from "./feed/watch.ts";
export type { WatchedFeed } from "./feed/watched-feed.ts";
export {
  type FeedFailure,
  type Heartbeat,
  HeartbeatSchema,
  type Resume,
  ResumeSchema,
} from "./gen/connectrest/v1/feed_pb.ts";
export { type UpstreamError, UpstreamErrorSchema } from "./gen/connectrest/v1/upstream_error_pb.ts";
export { decompressSmall } from "./http/decompress-small.ts";
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
  type StreamCallOptions,
} from "./rest.ts";
export type { RetryOptions } from "./retry/retry-options.ts";
export type { MessageStream } from "./stream/message-stream.ts";
export { isLoopbackOrigin } from "./text/loopback.ts";
export { Secret } from "./text/secret.ts";
export type { Tokens } from "./token-endpoint/tokens.ts";
export { UPSTREAM_DEFAULTS, type UpstreamOptions } from "./upstream/options.ts";
export { proxyFromEnvironment } from "./upstream/proxy-environment.ts";
export type { ProxyOptions, ProxySource } from "./upstream/proxy-options.ts";
export type { ClientOptions, UpstreamDispatcher } from "./upstream/supplied-client.ts";
export type { TlsOptions } from "./upstream/tls-options.ts";
export {
  createUpstreamFetch,
  type UpstreamFetch,
  type UpstreamFetchInit,
  type UpstreamFetchOptions,
} from "./upstream/upstream-fetch.ts";
export { VERSION } from "./version.ts";
