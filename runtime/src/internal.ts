/**
 * The parts of the runtime that other packages of this project use. This API may change without notice
 * between releases.
 */

export { DIFFERENCE_CLASSES, smallJson } from "connect-rest-codec/internal";
export type { AnyMethodAdapter, UnaryAdapter } from "./adapter/adapter.ts";
export { type Commented, commentTexts, loadComments } from "./adapter/comments.ts";
export { declaredPlace } from "./adapter/declared-place.ts";
export type { CredentialKind } from "./adapter/rules.ts";
export type { BreakerState, OriginLoad } from "./breaker/breaker.ts";
export { idleLevels, matchesMethod } from "./call/difference-levels.ts";
export type { FeedEntryKind, FeedMember, FeedMembership, FeedName } from "./call/feed-bus.ts";
export { WATCH_DEFAULTS } from "./call/watch-options.ts";
export type { CredentialsSource, FixedCredentials } from "./credentials/credentials.ts";
export type { Parameter } from "./credentials/oauth1.ts";
export { readOAuth1Token, signOAuth1 } from "./credentials/oauth1-token.ts";
export type { TokenStore } from "./credentials/oauth2-grant.ts";
export { isMarked as isRedactedField } from "./errors/field-options.ts";
export { retryDelayOf, retryInfo } from "./errors/retry-info.ts";
export { ERRORS } from "./errors/table.ts";
export { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.ts";
export { DecompressError, decompress, isCoding } from "./http/decompress.ts";
export { decompressSmall } from "./http/decompress-small.ts";
export { FairShare } from "./shares/fair-share.ts";
export { escapeHtml } from "./text/escape-html.ts";
export { fullName } from "./text/full-name.ts";
export { hashOf } from "./text/hash.ts";
export { isLoopbackOrigin } from "./text/loopback.ts";
export {
  isLoopbackAddress,
  isOn,
  isRedirectHost,
  isRedirectUri,
  matchesRedirectUri,
  REDIRECT_URI_EXPECTED,
} from "./text/redirect-uri.ts";
export { sealingKeyBytes } from "./text/sealing-key.ts";
export { didYouMean, suggest } from "./text/suggest.ts";
export { baseFault } from "./upstream/base.ts";
export { UPSTREAM_DEFAULTS } from "./upstream/options.ts";
