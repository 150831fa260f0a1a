import { Code } from "@connectrpc/connect";

/** A reason that the gateway itself gives: why it happens, and what to do about it. */
export interface GatewayReason {
  /** The codes that errors of this reason have. */
  readonly codes: readonly Code[];
  readonly cause: string;
  readonly remedy: string;
}

/**
 * Every `google.rpc.ErrorInfo.reason` of errors of the gateway itself,
 * which it reports before or outside of calls to upstreams.
 */
export const GATEWAY_REASONS = {
  REQUEST_INVALID: {
    codes: [Code.InvalidArgument],
    cause:
      "The request violates constraints of its message. The details have them as `google.rpc.BadRequest` and as `buf.validate.Violations`.",
    remedy: "Correct the fields that the violations name.",
  },
  REQUEST_MALFORMED: {
    codes: [Code.InvalidArgument, Code.Internal, Code.Unimplemented],
    cause:
      "The request cannot be read as HTTP, as its protocol or as the message of the method. The code is the one that the protocol prescribes; a message that cannot be parsed is INVALID_ARGUMENT, as JSON and as protobuf.",
    remedy: "Correct the client; the text says what is expected.",
  },
  REQUEST_TOO_LARGE: {
    codes: [Code.ResourceExhausted, Code.InvalidArgument],
    cause:
      "The message, the headers or the address of the request exceed a limit, which the text names: of bytes, of what the message costs to decode, or of the digits of a number.",
    remedy: "Send less, or raise the limit of the gateway.",
  },
  REQUEST_STALLED: {
    codes: [Code.DeadlineExceeded],
    cause: "The request did not arrive within the time that the limits allow.",
    remedy: "Retry over a better connection, or raise bodyIdleTimeoutMs.",
  },
  RESPONSE_TOO_LARGE: {
    codes: [Code.ResourceExhausted],
    cause: "The message of the response exceeds writeMaxBytes.",
    remedy: "Request less data, or raise writeMaxBytes.",
  },
  RESPONSE_NOT_PRINTABLE: {
    codes: [Code.Internal],
    cause:
      "The response has no form in JSON, e.g. because it holds a time out of range, or text that is not UTF-8.",
    remedy: "Call with the binary format, and report it to the upstream.",
  },
  METHOD_UNKNOWN: {
    codes: [Code.Unimplemented],
    cause: "The path does not name a method of this gateway.",
    remedy: "Correct the path; the text has the names that are served.",
  },
  PROTOCOL_UNSUPPORTED: {
    codes: [Code.Unimplemented, Code.InvalidArgument],
    cause:
      "The HTTP verb, version, transfer coding, content type or compression of the request, or the version of its protocol, is not supported for this method.",
    remedy: "Use one that the text names.",
  },
  HOST_UNKNOWN: {
    codes: [Code.PermissionDenied],
    cause:
      "The request is meant for a host that is not among `server.hosts`, e.g. because a web page has pointed its own name to the gateway (DNS rebinding). The HTTP status is 421.",
    remedy: "Call by a name that is served, or add this one to `server.hosts`.",
  },
  ORIGIN_FORBIDDEN: {
    codes: [Code.PermissionDenied],
    cause:
      "A web page of another origin has sent a request that browsers send without asking first. The HTTP status is 403.",
    remedy: "Add the origin to `server.origins` if its pages may call.",
  },
  TOKEN_MISSING: {
    codes: [Code.Unauthenticated],
    cause: "The gateway authorizes callers, and the request has no access token.",
    remedy:
      "Get a token from the authorization server that `WWW-Authenticate` leads to, and send `Authorization: Bearer` with every request.",
  },
  TOKEN_INVALID: {
    codes: [Code.Unauthenticated],
    cause:
      "The access token is unknown, has expired, was revoked, or is for another server. A stream ends with it when its token is revoked, and one that watches also when its token expires.",
    remedy:
      "Refresh the token, or get a new one; a stream that watched resumes by its `connectrest.v1.Resume`.",
  },
  TOKEN_MALFORMED: {
    codes: [Code.InvalidArgument],
    cause:
      "The `Authorization` header cannot be read, is there twice, or the token is in the query of the address, where it gets into logs.",
    remedy: "Send the token once, as `Authorization: Bearer TOKEN` (RFC 6750 section 2.1).",
  },
  SCOPE_MISSING: {
    codes: [Code.PermissionDenied],
    cause: "The access token lacks a scope that the method needs; the text names it.",
    remedy: "Get a token with this scope.",
  },
  PERSON_REQUIRED: {
    codes: [Code.PermissionDenied],
    cause: "The method needs the rights of a person, and the client calls for itself (client credentials).",
    remedy: "Let a person sign in (authorization code).",
  },
  STORE_UNAVAILABLE: {
    codes: [Code.Unavailable],
    cause:
      "The store of the authorization server, which knows the tokens, is locked, full or cannot be reached.",
    remedy: "Retry; the log has the cause.",
  },
  AUTHORIZATION_NOT_INSTALLED: {
    codes: [Code.FailedPrecondition],
    cause:
      "The configuration has `authorization`, and the package that does it is not installed: the gateway does not start.",
    remedy: "Run `npm install connect-rest-authorization` where the gateway is installed.",
  },
  SERVICE_UNKNOWN: {
    codes: [Code.NotFound],
    cause: "A health check asks for a service that is not served here.",
    remedy: "Correct the name of the service.",
  },
  CALLS_EXCEEDED: {
    codes: [Code.ResourceExhausted],
    cause:
      "The caller has more calls that run or wait than its share, while other clients wait: more than callsPerClient, the most in a full queue, or most of the compressed messages that wait, of which queuedDecompressions may.",
    remedy: "Wait for the delay in the RetryInfo, and make fewer concurrent calls.",
  },
  OVERLOADED: {
    codes: [Code.Unavailable],
    cause:
      "The gateway or the share of an upstream is busy, or there are too many requests or health watches; the text names the limit.",
    remedy: "Retry after the delay in the RetryInfo.",
  },
  SESSION_ENDED: {
    codes: [Code.Unauthenticated],
    cause:
      "The caller's session at an upstream has ended: it expired, or the upstream rejected a refresh or the refreshed token. A process that is killed during a refresh can lose the new refresh token. Sessions at other upstreams continue.",
    remedy: "Sign in again.",
  },
  SESSION_UNAVAILABLE: {
    codes: [Code.Unavailable],
    cause:
      "The caller's tokens of an upstream have expired or were rejected, and the upstream could not refresh them. The session continues.",
    remedy: "Retry after the delay in the RetryInfo; the log has the cause.",
  },
  SHUTTING_DOWN: {
    codes: [Code.Unavailable],
    cause: "The gateway is shutting down.",
    remedy: "Retry; another instance takes the call.",
  },
  GATEWAY_FAILED: {
    codes: [Code.Internal],
    cause: "The gateway failed unexpectedly.",
    remedy: "Report it, together with the cause from the log.",
  },
} as const satisfies Record<string, GatewayReason>;

/** The reasons of the gateway's own errors. */
export type GatewayReasonName = keyof typeof GATEWAY_REASONS;
