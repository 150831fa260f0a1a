import { Code } from "@connectrpc/connect";

/** An error of the runtime's own: what the caller gets, why it happens, and what to do. */
export interface ErrorEntry {
  readonly code: Code;
  /** The text the caller sees; `{name}` is filled in. It says what was concerned, what was expected, what came. */
  readonly text: string;
  /** Why it happens. */
  readonly cause: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** Every error that the runtime raises by itself, by its `google.rpc.ErrorInfo.reason`. */
export const ERRORS = {
  // The request of the caller.
  PATH_VALUE_INVALID: {
    code: Code.InvalidArgument,
    text: "{field}: {problem}, so it cannot stand in the path of a URL; {remedy}",
    cause: "A value for the path is empty, is a dot segment, or holds a character that no path can carry.",
    remedy: "Send a value that names one thing: not empty, not `.` or `..`, without control characters.",
  },
  PARAMETER_VALUE_INVALID: {
    code: Code.InvalidArgument,
    text: "{field}: {problem}, so it cannot stand in the {place}; {remedy}",
    cause: "A value for the query, a form, a header or a cookie holds what cannot be written there.",
    remedy: "Send text without lone surrogates, headers without line breaks, and finite numbers.",
  },
  CURSOR_INVALID: {
    code: Code.Internal,
    text: "the cursor of the next page: expected {expected}, got {got}",
    cause: "A response names the next page by a value that does not fit the request field which takes it.",
    remedy: "Correct the path or the field of the `paginate` rule, or report it to the upstream.",
  },
  REQUEST_PATH_CHANGED: {
    code: Code.Internal,
    text: 'upstream {upstream}: the path "{path}" would be requested as "{parsed}", expected no difference',
    cause: "The path of the request has dot segments or characters that URL parsers rewrite.",
    remedy: "Correct the path template of the method; values of the caller are encoded before this check.",
  },
  REQUEST_INVALID: {
    code: Code.Internal,
    text: "upstream {upstream}: the request cannot be sent as HTTP: {problem}",
    cause: "A constant header or the verb of a method is not allowed in HTTP.",
    remedy: "Correct the rules of the method.",
  },
  ADAPTER_FAILED: {
    code: Code.Internal,
    text: "upstream {upstream}: the adapter of {method} failed while {step}",
    cause: "Generated code or its runtime threw an error that is not about the call.",
    remedy: "Report it with the cause, which is in the log.",
  },
  REQUEST_STREAM_EMPTY: {
    code: Code.InvalidArgument,
    text: "{method}: expected a first message, got an empty stream",
    cause: "The stream of requests ended before its first message, which says what to call.",
    remedy: "Send at least one message.",
  },
  LOCAL_RATE_LIMIT: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: {method}: expected at most {requests} requests in {window}, got more; the next may go in {delay} ms",
    cause:
      "A known limit of the upstream is used up, and the deadline of the call comes before the next window.",
    remedy: "Wait as long as the RetryInfo says, or give the call more time.",
  },
  METHOD_NOT_MAPPED: {
    code: Code.Unimplemented,
    text: "{method}: expected a method with a REST rule and a configured adapter, got none",
    cause: "The service has no adapter here, or the method has no google.api.http rule.",
    remedy: "Add the adapter to the options, or a rule to the method.",
  },

  // Credentials.
  UPSTREAM_CREDENTIALS_MISSING: {
    code: Code.Unauthenticated,
    text: "upstream {upstream}: {method} needs one of {wanted}, got {available}",
    cause: "The method needs credentials of a kind that is not configured and that the caller did not bring.",
    remedy: "Configure one of these kinds for the upstream, or send credentials with the call.",
  },
  UPSTREAM_CREDENTIALS_INVALID: {
    code: Code.Unauthenticated,
    text: "upstream {upstream}: {kind} credentials: expected printable ASCII on one line, got {problem}",
    cause:
      "A secret holds what cannot stand in an HTTP header, often the line break at the end of a file, or a user of `basic` a colon.",
    remedy: "Remove the character from the secret.",
  },
  UPSTREAM_CREDENTIALS_FAILED: {
    code: Code.Internal,
    text: "upstream {upstream}: the credentials of the call could not be found out",
    cause: "The function that provides credentials threw an error.",
    remedy: "See the cause in the log.",
  },
  UPSTREAM_CREDENTIALS: {
    code: Code.Internal,
    text: "upstream {upstream}: expected it to accept the configured credentials, got {status}",
    cause: "The upstream refused the credentials of the configuration; the caller's own were not concerned.",
    remedy: "Renew the configured credentials of this upstream.",
  },

  // The connection to the upstream.
  UPSTREAM_UNREACHABLE: {
    code: Code.Unavailable,
    text: "upstream {upstream}: expected a connection, got {problem}",
    cause: "Name resolution, the connection or the TLS handshake failed. Nothing was sent.",
    remedy: "Try again; check the upstream's address and certificate.",
  },
  UPSTREAM_TIMEOUT: {
    code: Code.DeadlineExceeded,
    text: "upstream {upstream}: expected {part} within {limit} ms, got none",
    cause:
      "The connection or the beginning of the response did not come, or the body paused, for longer than the upstream's limit allows.",
    remedy:
      "Try again; raise connectTimeoutMs, headersTimeoutMs or bodyTimeoutMs if the upstream is known to be slow.",
  },
  UPSTREAM_RESET: {
    code: Code.Unavailable,
    text: "upstream {upstream}: expected a response, got a closed connection",
    cause: "The upstream closed the connection before its response.",
    remedy: "Try again if the method is idempotent: the upstream may have acted.",
  },
  UPSTREAM_TRUNCATED: {
    code: Code.Unavailable,
    text: "upstream {upstream}: expected a whole body, got a part of it",
    cause: "The upstream closed the connection within the body, or the compressed body ends too early.",
    remedy: "Try again if the method is idempotent: the upstream may have acted.",
  },
  UPSTREAM_NOT_HTTP: {
    code: Code.Unavailable,
    text: "upstream {upstream}: expected an HTTP response, got something else",
    cause: "What came is not HTTP/1.1: another protocol, or a broken proxy.",
    remedy: "Check the upstream's address and port, and whether it wants https.",
  },
  UPSTREAM_CIRCUIT_OPEN: {
    code: Code.Unavailable,
    text: "upstream {upstream}: expected a working upstream, got too many failures; it is left alone for {delay} ms",
    cause: "The last requests to the upstream failed. Until the cooling time is over, nothing is sent to it.",
    remedy: "Wait as long as the RetryInfo says; look at what the failures before were.",
  },
  UPSTREAM_INTERIM_RESPONSES: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: expected a response after at most {limit} interim ones (1xx), got more of them",
    cause: "The upstream sends 100 Continue, 103 Early Hints and their like without an end.",
    remedy: "Report it to the upstream.",
  },
  UPSTREAM_CLOSED: {
    code: Code.Unavailable,
    text: "upstream {upstream}: expected an open connection pool, got a closed one",
    cause: "The call came after close().",
    remedy: "Call before closing, or create a new one.",
  },
  UPSTREAM_HEADERS_TOO_LARGE: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: expected at most {limit} bytes of headers, got more",
    cause: "The headers of the response exceed maxHeaderBytes.",
    remedy: "Raise maxHeaderBytes if the upstream is known to send that much.",
  },
  UPSTREAM_BODY_TOO_LARGE: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: expected a body of at most {limit} bytes, got more",
    cause: "The body of the response, decompressed, exceeds maxResponseBytes.",
    remedy: "Ask for less (a smaller page), or raise maxResponseBytes (maxDownloadBytes for a download).",
  },
  UPSTREAM_BODY_ENCODING: {
    code: Code.Internal,
    text: "upstream {upstream}: expected a body in gzip, deflate, br or zstd, got {problem}",
    cause: "The Content-Encoding is not known, or the body is not in the encoding it names.",
    remedy: "Set acceptEncoding of the upstream to what it can do, e.g. identity.",
  },

  // The response of the upstream.
  UPSTREAM_BODY_NOT_JSON: {
    code: Code.Internal,
    text: "upstream {upstream}: expected JSON with status {status}, got {got}",
    cause: "The upstream, or a proxy before it, sent another document with a status that means success.",
    remedy: "Check the upstream's address and the method's response_encoding.",
  },
  UPSTREAM_BODY_NOT_EVENTS: {
    code: Code.Internal,
    text: "upstream {upstream}: expected text/event-stream with status {status}, got {got}",
    cause: "The upstream, or a proxy before it, sent something else than server-sent events.",
    remedy: "Check that the request asks for a stream, and the format of the method's records rule.",
  },
  UPSTREAM_RECORD_TOO_LARGE: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: expected records of at most {limit} bytes, got a larger one",
    cause: "A line, or the data of an event, exceeds maxResponseBytes.",
    remedy: "Raise maxResponseBytes of the upstream if it is known to send that much.",
  },
  UPSTREAM_BODY_TOO_DEEP: {
    code: Code.Internal,
    text: "upstream {upstream}: expected a body that is not nested too deeply, got {problem}",
    cause: "The JSON of the response is nested deeper than any message should be.",
    remedy: "Report it to the upstream.",
  },
  MOVED: {
    code: Code.FailedPrecondition,
    text: "upstream {upstream}: expected a response, got a redirect ({status}), which is not followed",
    cause: "The resource has another address now. It is in the metadata as `location`.",
    remedy: "Call again with the new name, or add the status to the method's `success` if it is a response.",
  },
  PAGES_EXCEEDED: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: {method}: expected at most {limit} pages, got more",
    cause: "The list has more pages than the method's max_pages allows. The items before were delivered.",
    remedy: "Ask for larger pages or a shorter list, or raise max_pages of the method.",
  },
  PAGE_LINK_REFUSED: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: expected a link to the next page below the base address, got {problem}",
    cause:
      "The upstream links to another host, to a path outside of its base address, or to no address at all.",
    remedy: "Correct the base address of the upstream; credentials are never sent elsewhere.",
  },
  PAGE_REPEATED: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: expected the {next} of another page, got that of the same page again",
    cause: "The response to a page contains a cursor or link that leads to this very page.",
    remedy: "Report it to the upstream, or correct the method's paginate rule.",
  },
  RESPONSE_DRIFT: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: {path}: expected {expected}, got {got} (strict mode)",
    cause: "A response differs from its declaration, and the strict mode makes that an error.",
    remedy: "Correct the .proto, or turn the strict mode off.",
  },

  // The life of a call.
  DEADLINE_EXCEEDED: {
    code: Code.DeadlineExceeded,
    text: "{method}: expected a response within {limit}, got none",
    cause: "The deadline of the call passed: the shortest of the caller's, the method's and the default.",
    remedy: "Give the call more time, or ask for less.",
  },
  CANCELED: {
    code: Code.Canceled,
    text: "{method}: canceled by the caller",
    cause: "The caller aborted the call. The upstream may have acted.",
    remedy: "None is needed.",
  },

  // Set-up. These are thrown when a transport or routes are created, never by a call.
  UPSTREAM_UNKNOWN: {
    code: Code.Internal,
    text: 'service {service}: expected its upstream "{upstream}" among the configured ones, got {configured}',
    cause: "An adapter names an upstream that the options do not have.",
    remedy: "Add the upstream to the options under this name.",
  },
  UPSTREAM_BASE_UNKNOWN: {
    code: Code.Internal,
    text: 'method {method}: expected the base "{base}" among those of upstream {upstream}, got {configured}',
    cause: "A method names a base address that the options of its upstream do not have.",
    remedy: "Add it to `bases` of the upstream.",
  },
  UPSTREAM_OPTION_INVALID: {
    code: Code.Internal,
    text: "upstream {upstream}: option {option}: expected {expected}, got {got}",
    cause: "An option of an upstream has a value that it cannot have.",
    remedy: "Correct the option.",
  },
  OPTION_INVALID: {
    code: Code.Internal,
    text: "option {option}: expected {expected}, got {got}",
    cause: "An option has a value that it cannot have.",
    remedy: "Correct the option.",
  },
  SERVICE_DUPLICATE: {
    code: Code.Internal,
    text: "service {service}: expected one adapter, got two",
    cause: "The options list two adapters for one service.",
    remedy: "Remove one of them.",
  },
  METHOD_RULES_INVALID: {
    code: Code.Internal,
    text: "method {method}: {problem}",
    cause: "The rules of a method contradict each other.",
    remedy: "Correct the annotations and generate again.",
  },
} as const satisfies Record<string, ErrorEntry>;

/** The reasons of the runtime's own errors. */
export type ErrorReason = keyof typeof ERRORS;
