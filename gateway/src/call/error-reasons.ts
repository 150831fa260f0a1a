import { Code } from "@connectrpc/connect";

/** A reason of the gateway's own errors, with its cause and its remedy. */
export interface GatewayReason {
  /** The codes of errors with this reason. */
  readonly codes: readonly Code[];
  readonly cause: string;
  readonly remedy: string;
}

/**
 * Every `google.rpc.ErrorInfo.reason` of errors that the gateway itself reports, before or outside of
 * upstream requests.
 */
export const GATEWAY_REASONS = {
  REQUEST_INVALID: {
    codes: [Code.InvalidArgument],
    cause:
      "The request violates constraints that are declared for its message. The details list the violations as `google.rpc.BadRequest` and as `buf.validate.Violations`.",
    remedy: "Correct the fields that the violations name.",
  },
  REQUEST_MALFORMED: {
    codes: [Code.InvalidArgument, Code.Internal, Code.Unimplemented],
    cause:
      "The request is not valid HTTP, not valid in its protocol, or not a valid message of the method. The protocol prescribes the code. If a message cannot be parsed, the code is INVALID_ARGUMENT, in JSON and in protobuf. Unknown fields of JSON are ignored. Unknown enum names, times that do not exist, inexact integers, broken base64 and bytes that are not UTF-8 are rejected.",
    remedy: "Correct the client. The error text names the expected input.",
  },
  REQUEST_TOO_LARGE: {
    codes: [Code.ResourceExhausted, Code.InvalidArgument],
    cause:
      "The message, the headers or the URL of the request exceed a limit. The error text names the limit: bytes, decoding cost of the message, or digits of a number.",
    remedy: "Send a smaller request, or raise the limit of the gateway.",
  },
  REQUEST_STALLED: {
    codes: [Code.DeadlineExceeded],
    cause: "The request did not arrive within the time that the limits allow.",
    remedy: "Retry over a better connection, or raise bodyIdleTimeoutMs.",
  },
  RESPONSE_TOO_LARGE: {
    codes: [Code.ResourceExhausted],
    cause: "The response message exceeds writeMaxBytes.",
    remedy: "Request less data, or raise writeMaxBytes.",
  },
  RESPONSE_NOT_PRINTABLE: {
    codes: [Code.Internal],
    cause:
      "The response cannot be represented in JSON, e.g. because of a time out of range, or a string that is not UTF-8.",
    remedy: "Call with the binary format, and report the error to the upstream.",
  },
  METHOD_UNKNOWN: {
    codes: [Code.Unimplemented, Code.NotFound],
    cause: "The path, or the request for an explanation, does not name a method of this gateway.",
    remedy: "Correct the name. The error text for an unknown path lists the valid names.",
  },
  CONFIRMATION_MISSING: {
    codes: [Code.FailedPrecondition],
    cause: "The explained call may change data, and the request does not confirm that the call is sent.",
    remedy: "Set `confirm` to send the call, or remove `send` for a dry run.",
  },
  PROTOCOL_UNSUPPORTED: {
    codes: [Code.Unimplemented, Code.InvalidArgument],
    cause:
      "The method does not support the HTTP verb, HTTP version, transfer coding, content type, compression or protocol version of the request.",
    remedy: "Use an alternative from the list in the error text.",
  },
  HOST_UNKNOWN: {
    codes: [Code.PermissionDenied],
    cause:
      "The request is for a host that is not in `server.hosts`, e.g. because a web page resolves its own name to the gateway (DNS rebinding). The HTTP status is 421.",
    remedy: "Call one of the configured hosts, or add this host to `server.hosts`.",
  },
  ORIGIN_FORBIDDEN: {
    codes: [Code.PermissionDenied],
    cause: "A web page of another origin sent a request without a CORS preflight. The HTTP status is 403.",
    remedy: "If web pages of this origin may call the gateway, add the origin to `server.origins`.",
  },
  TOKEN_MISSING: {
    codes: [Code.Unauthenticated],
    cause: "The gateway requires an access token, but the request has no token.",
    remedy:
      "Get a token from the authorization server that `WWW-Authenticate` points to, and send `Authorization: Bearer` with every request.",
  },
  TOKEN_INVALID: {
    codes: [Code.Unauthenticated],
    cause:
      "The access token is unknown, has expired, was revoked, or is for another server. A running stream ends with this error when its token is revoked. A stream that watches a feed also ends when its token expires.",
    remedy:
      "Refresh the token, or get a new one. To resume a watched feed, use the `connectrest.v1.Resume` in the error.",
  },
  TOKEN_MALFORMED: {
    codes: [Code.InvalidArgument],
    cause:
      "The `Authorization` header is malformed or repeated, or the token is in the query of the URL, where logs would expose it.",
    remedy: "Send the token once, as `Authorization: Bearer TOKEN` (RFC 6750 section 2.1).",
  },
  SCOPE_MISSING: {
    codes: [Code.PermissionDenied],
    cause: "The access token lacks a scope that the method needs. The error text names the scope.",
    remedy: "Get a token with this scope.",
  },
  PERSON_REQUIRED: {
    codes: [Code.PermissionDenied],
    cause:
      "The method needs the rights of a person, but the token belongs to a client that acts for itself (client credentials).",
    remedy: "Use the token of a person who has signed in (authorization code).",
  },
  STORE_UNAVAILABLE: {
    codes: [Code.Unavailable],
    cause:
      "The store of the authorization server is locked, full or unreachable, so the token cannot be checked.",
    remedy: "Retry; the log has the cause.",
  },
  AUTHORIZATION_NOT_INSTALLED: {
    codes: [Code.FailedPrecondition],
    cause:
      "The configuration has `authorization`, but its package is not installed, so the gateway does not start.",
    remedy: "Run `npm install connect-rest-authorization` where the gateway is installed.",
  },
  MCP_SDK_NOT_INSTALLED: {
    codes: [Code.FailedPrecondition],
    cause:
      "The configuration has `mcp`, but the SDK of the Model Context Protocol is not installed, so the gateway does not start.",
    remedy: "Run `npm install @modelcontextprotocol/server` where the gateway is installed.",
  },
  SERVICE_UNKNOWN: {
    codes: [Code.NotFound],
    cause: "A health check names a service that this gateway does not serve.",
    remedy: "Correct the name of the service.",
  },
  CALLS_EXCEEDED: {
    codes: [Code.ResourceExhausted],
    cause:
      "The caller has more running or waiting calls than its share, while other clients wait. The limit is callsPerClient, the size of the queue, or queuedDecompressions for waiting compressed messages.",
    remedy: "Wait for the delay in the RetryInfo, and make fewer concurrent calls.",
  },
  OVERLOADED: {
    codes: [Code.Unavailable],
    cause:
      "The gateway or an upstream is busy, or the gateway has too many requests or health watches. The error text names the limit.",
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
      "The caller's upstream tokens have expired or were rejected, and the upstream could not refresh them. The session continues.",
    remedy: "Retry after the delay in the RetryInfo; the log has the cause.",
  },
  SHUTTING_DOWN: {
    codes: [Code.Unavailable],
    cause: "The gateway is shutting down.",
    remedy: "Retry the call; another instance can serve it.",
  },
  GATEWAY_FAILED: {
    codes: [Code.Internal],
    cause: "The gateway failed unexpectedly.",
    remedy: "Report the error, together with the cause from the log.",
  },
} as const satisfies Record<string, GatewayReason>;

/** The name of a reason of the gateway's own errors. */
export type GatewayReasonName = keyof typeof GATEWAY_REASONS;
