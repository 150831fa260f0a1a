import { Code } from "@connectrpc/connect";

/** An error of the runtime: the code and message for the caller, the cause and the remedy. */
export interface ErrorEntry {
  readonly code: Code;
  /** The message, with placeholders such as `{name}`. The message names what failed and the problem. */
  readonly text: string;
  /** The cause of the error. */
  readonly cause: string;
  /** The fix. */
  readonly remedy: string;
}

/** Every error of the runtime, by its `google.rpc.ErrorInfo.reason`. */
export const ERRORS = {
  // Errors in the caller's request.
  PATH_VALUE_INVALID: {
    code: Code.InvalidArgument,
    text: "{field}: {problem}, so it cannot be part of a URL path; {remedy}",
    cause:
      "A path parameter is empty, is a dot segment, or contains a character that is not allowed in a path. If several parameters share a path segment, a value that contains the text between the parameters also causes this error.",
    remedy: "Send a value that is not empty, not `.` or `..`, and has no control characters.",
  },
  PARAMETER_VALUE_INVALID: {
    code: Code.InvalidArgument,
    text: "{field}: {problem}, so it cannot be sent in the {place}; {remedy}",
    cause:
      "A value cannot be represented where the request must contain it: in the query, a form, a header, a cookie or the body.",
    remedy: "Send well-formed Unicode, header values without line breaks, and finite numbers.",
  },
  TYPE_UNKNOWN: {
    code: Code.InvalidArgument,
    text: "google.protobuf.Any of {type}: {problem}",
    cause:
      "The type of a google.protobuf.Any in the request is unknown, or its bytes do not match the type, so it cannot be converted to JSON.",
    remedy:
      "Send a type that an adapter, google.rpc or the option `types` knows, or add the file of the type to `types`.",
  },
  CURSOR_INVALID: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: {path}: expected a cursor that is {expected}, got {got}",
    cause: "The cursor in a response does not fit the request field that receives it.",
    remedy: "Correct the path or the field in the `paginate` rule, or report the error to the upstream.",
  },
  REQUEST_PATH_CHANGED: {
    code: Code.Internal,
    text: 'upstream {upstream}: URL parsers rewrite the path "{path}" to "{parsed}"',
    cause: "The request path contains dot segments or characters that URL parsers normalize.",
    remedy:
      "Correct the path template of the method; values from the caller are already encoded at this point.",
  },
  REQUEST_NOT_HTTP: {
    code: Code.Internal,
    text: "upstream {upstream}: the request is not valid HTTP: {problem}",
    cause: "A constant header or the verb of the method is not valid HTTP.",
    remedy: "Correct the rules of the method.",
  },
  ADAPTER_FAILED: {
    code: Code.Internal,
    text: "upstream {upstream}: the adapter of {method} failed while {step}",
    cause: "Generated code or the runtime threw an unexpected error.",
    remedy: "Report the error, together with the cause from the log.",
  },
  REQUEST_STREAM_EMPTY: {
    code: Code.InvalidArgument,
    text: "{method}: the request stream ended before its first message",
    cause: "The first message of an upload determines the request, but the client sent no message.",
    remedy: "Send at least one message.",
  },
  LOCAL_RATE_LIMIT: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: {method}: the rate limit of {requests} requests per {window} is reached; retry in {delay} ms",
    cause:
      "A declared rate limit of the upstream is exhausted, and the call's deadline ends before the next window.",
    remedy: "Wait for the delay in the RetryInfo, or extend the deadline of the call.",
  },
  METHOD_NOT_MAPPED: {
    code: Code.Unimplemented,
    text: "{method}: no configured adapter has a REST rule for this method",
    cause: "No adapter of the service is configured, or the method has no google.api.http rule.",
    remedy: "Add the adapter to the options, or a google.api.http rule to the method.",
  },

  // Credentials.
  UPSTREAM_CREDENTIALS_MISSING: {
    code: Code.Unauthenticated,
    text: "upstream {upstream}: {method} needs one of {wanted}, got {available}",
    cause: "The method requires a kind of credentials that is neither configured nor sent by the caller.",
    remedy:
      "Configure one of the kinds that the text names for the upstream, or send such credentials with the call.",
  },
  UPSTREAM_CREDENTIALS_INVALID: {
    code: Code.Unauthenticated,
    text: "upstream {upstream}: {kind} credentials: expected printable ASCII on one line, got {problem}",
    cause:
      "A secret contains a character that is not allowed in an HTTP header (often the line break at the end of a file), or the username of `basic` contains a colon.",
    remedy: "Remove the character from the secret.",
  },
  UPSTREAM_CREDENTIALS_FAILED: {
    code: Code.Internal,
    text: "upstream {upstream}: the credentials of the call could not be determined",
    cause: "The function that provides credentials threw an error.",
    remedy: "See the cause in the log.",
  },
  UPSTREAM_CREDENTIALS: {
    code: Code.Internal,
    text: "upstream {upstream}: the configured credentials were rejected with status {status}",
    cause: "The upstream rejected the configured credentials. Credentials of the caller were not involved.",
    remedy: "Replace the configured credentials of this upstream.",
  },

  UPSTREAM_TOKEN_REFUSED: {
    code: Code.Internal,
    text: "upstream {upstream}: the token endpoint {endpoint} rejected the configured client or refresh token: {problem}",
    cause:
      "The authorization server of the upstream rejected the client ID, the client secret, the refresh token or the scope. Credentials of the caller were not involved. The runtime asks again after a delay, not for every call.",
    remedy:
      "Correct the client ID and secret. If a refresh token is configured, get a new one with `connect-rest upstream-login`.",
  },
  UPSTREAM_TOKEN_FAILED: {
    code: Code.Unavailable,
    text: "upstream {upstream}: no access token from the token endpoint {endpoint}: {problem}; retry in {delay} ms",
    cause:
      "The authorization server of the upstream cannot be reached, is too slow, or responds with an error or without a token. The runtime asks again after the delay, not for every call.",
    remedy: "Wait for the delay in the RetryInfo; check `tokenUrl` of the credentials.",
  },
  UPSTREAM_TOKEN_REPLACED: {
    code: Code.Unavailable,
    text: "upstream {upstream}: the access token was rejected and has been replaced; make the call again",
    cause:
      "The upstream rejected the access token, which has since been replaced. Other calls are retried with the new token. A client stream cannot be retried, because its messages are already consumed.",
    remedy: "Make the call again.",
  },
  UPSTREAM_TOKENS_UNREADABLE: {
    code: Code.Internal,
    text: "upstream {upstream}: the tokens of its credentials cannot be read or stored: {problem}",
    cause: "The file with the tokens is missing, can be read by other users, or cannot be written.",
    remedy:
      "Run `connect-rest upstream-login` for the upstream, and make sure that only its owner can access the file (mode 0600).",
  },

  // Errors that clients of an authorization server get (connect-rest-runtime/oauth).
  OAUTH_ADDRESS_REFUSED: {
    code: Code.InvalidArgument,
    text: "{what}: expected {expected}, got {got}",
    cause: "A URL is malformed, contains a user, a query or a fragment, or would send secrets unencrypted.",
    remedy: "Use an https URL. Only localhost, 127.0.0.1 and ::1 may use http.",
  },
  OAUTH_DISCOVERY_FAILED: {
    code: Code.Unavailable,
    text: "{url}: the metadata of the authorization server cannot be read: {problem}",
    cause:
      "The server cannot be reached, or its response is not metadata. Only a 404 response means that the server has no metadata.",
    remedy: "Check the address, and whether the server is running.",
  },
  OAUTH_METADATA_INVALID: {
    code: Code.FailedPrecondition,
    text: "{url}: the metadata of the authorization server is not usable: expected {expected}, got {got}",
    cause:
      "The metadata belongs to another server, or the server lacks a feature that a safe sign-in needs, such as PKCE with S256.",
    remedy: "Report the error to the operator of the server, or use the address in the metadata (`issuer`).",
  },
  OAUTH_REGISTRATION_FAILED: {
    code: Code.FailedPrecondition,
    text: "{server}: no client ID: {problem}",
    cause: "The authorization server does not let clients register themselves, or rejected this client.",
    remedy:
      "Ask the operator of the server for a client ID, and set it as `--client-id` (`clientId` of the library). If the client has a secret, put it into a file.",
  },
  OAUTH_AUTHORIZATION_REFUSED: {
    code: Code.PermissionDenied,
    text: "{server}: sign-in was not completed: {problem}",
    cause: "The person or the authorization server rejected the sign-in: `error` names the cause.",
    remedy: "Sign in again; check the requested scope and resource.",
  },
  OAUTH_AUTHORIZATION_INVALID: {
    code: Code.Aborted,
    text: "{server}: the response of the sign-in is not usable: {problem}",
    cause:
      "The browser returned with a response for another sign-in or from another server: the state or issuer of the response differs. No code was redeemed.",
    remedy: "Sign in again. If the error repeats, someone may be interfering with the browser.",
  },
  OAUTH_SIGN_IN_TIMEOUT: {
    code: Code.DeadlineExceeded,
    text: "{server}: nobody signed in within {limit}",
    cause: "The browser did not return to the client's address.",
    remedy: "Start again, and open the address on this machine.",
  },
  OAUTH_PORT_TAKEN: {
    code: Code.FailedPrecondition,
    text: "cannot listen on port {port} of this machine: {problem}",
    cause:
      "The browser must return to this port, but another program uses the port, or this user may not listen on it.",
    remedy:
      "Choose another port that is registered for the client. If the server accepts any port, do not choose one.",
  },
  OAUTH_TOKEN_REFUSED: {
    code: Code.Unauthenticated,
    text: "{server}: the token endpoint rejected the request: {problem}",
    cause:
      "The authorization server no longer accepts the client, its secret, the code or the refresh token.",
    remedy: "Sign in again: `connect-rest login`.",
  },
  OAUTH_TOKEN_FAILED: {
    code: Code.Unavailable,
    text: "{server}: the token endpoint returned no token: {problem}",
    cause: "The authorization server cannot be reached, or responded with something that is not a token.",
    remedy: "Retry.",
  },
  OAUTH_SIGN_IN_NEEDED: {
    code: Code.Unauthenticated,
    text: "{server}: not signed in: {problem}",
    cause: "No token exists for this server, or it has expired or was revoked and cannot be refreshed.",
    remedy: "Sign in: `connect-rest login` with the server's address.",
  },
  OAUTH_REVOCATION_FAILED: {
    code: Code.Unavailable,
    text: "{server}: the tokens may still be valid: {problem}",
    cause:
      "The authorization server has no revocation endpoint, or did not confirm the revocation. The tokens were removed from this machine.",
    remedy: "Wait until the tokens expire, or ask the operator of the server to revoke them.",
  },
  TOKEN_FILE_REFUSED: {
    code: Code.FailedPrecondition,
    text: "{file}: {problem}",
    cause: "A file with tokens can be read or replaced by other users, or this program did not write it.",
    remedy: "Make sure that only you can access the file (`chmod 600 FILE`), or remove it and sign in again.",
  },
  TOKEN_FILE_LOCKED: {
    code: Code.Unavailable,
    text: "{file}: another process has locked the file for {limit}",
    cause: "Another process is refreshing tokens in the same file and has not finished.",
    remedy: "Retry. If no other process uses the file, remove FILE.lock.",
  },

  // Errors of the connection to the upstream.
  UPSTREAM_UNREACHABLE: {
    code: Code.Unavailable,
    text: "upstream {upstream}: no connection was established: {problem}",
    cause: "Name resolution, the connection or the TLS handshake failed. Nothing was sent.",
    remedy: "Retry; check the address and the certificate of the upstream.",
  },
  UPSTREAM_PROXY_REFUSED: {
    code: Code.Internal,
    text: "upstream {upstream}: the proxy rejected the request with status {status}",
    cause:
      "The egress proxy rejected the request: 407 means that the proxy requires other credentials, 403 that the proxy does not allow the host or port. Nothing reached the upstream.",
    remedy: "Correct the credentials of the proxy, or its rules.",
  },
  UPSTREAM_FAILED: {
    code: Code.Unavailable,
    text: "upstream {upstream}: the {client} failed before the response: {problem}",
    cause:
      "The dispatcher or `fetch` of the options failed. The error does not show whether the request was sent.",
    remedy:
      "See the cause. Retry only if the method is idempotent, because the upstream may have executed the request.",
  },
  UPSTREAM_CLIENT_FAILED: {
    code: Code.Internal,
    text: "upstream {upstream}: the {client} of the options broke its contract: {problem}",
    cause:
      "A MockAgent has no mock for the request, or a `fetch` followed a redirect on its own or returned something other than a Response.",
    remedy: "Correct the dispatcher or `fetch`; a test lacks a mock for this request.",
  },
  UPSTREAM_TIMEOUT: {
    code: Code.DeadlineExceeded,
    text: "upstream {upstream}: timed out after {limit} waiting for {part}",
    cause:
      "Connecting, waiting for the response head, or a pause within the body exceeded the configured timeout.",
    remedy:
      "Retry; raise connectTimeoutMs, headersTimeoutMs or bodyTimeoutMs if the upstream is known to be slow.",
  },
  UPSTREAM_RESET: {
    code: Code.Unavailable,
    text: "upstream {upstream}: the connection was closed before the response",
    cause: "The upstream closed the connection before it sent a response.",
    remedy: "Retry only if the method is idempotent, because the upstream may have executed the request.",
  },
  UPSTREAM_TRUNCATED: {
    code: Code.Unavailable,
    text: "upstream {upstream}: the response body is incomplete",
    cause:
      "The upstream closed the connection before the end of the body, or the compressed body is incomplete.",
    remedy: "Retry only if the method is idempotent, because the upstream may have executed the request.",
  },
  UPSTREAM_NOT_HTTP: {
    code: Code.Unavailable,
    text: "upstream {upstream}: the response is not HTTP",
    cause: "The upstream does not speak HTTP/1.1, or a proxy in between is broken.",
    remedy: "Check the address and port of the upstream, and whether it requires https.",
  },
  UPSTREAM_CIRCUIT_OPEN: {
    code: Code.Unavailable,
    text: "upstream {upstream}: the circuit is open after too many failures; retry in {delay} ms",
    cause:
      "Recent requests failed, so a circuit opened. If no connection to the upstream was established, the circuit is open for all callers. Otherwise the circuit is open only for the caller whose requests failed. After the cooldown, a probe decides whether the circuit closes. A caller also gets this error if more than 256 of its requests wait because the upstream fails for several callers.",
    remedy: "Wait for the delay in the RetryInfo, and investigate the earlier failures.",
  },
  UPSTREAM_INTERIM_RESPONSES: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: more than {limit} interim responses (1xx)",
    cause: "The upstream keeps sending interim responses such as 100 Continue and 103 Early Hints.",
    remedy: "Report the error to the upstream.",
  },
  UPSTREAM_CLOSED: {
    code: Code.Unavailable,
    text: "upstream {upstream}: the connection pool is closed",
    cause: "The call was made after close().",
    remedy: "Finish all calls before closing, or create a new transport.",
  },
  UPSTREAM_HEADERS_TOO_LARGE: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: the response headers exceed {limit} bytes",
    cause: "The response headers exceed maxHeaderBytes.",
    remedy: "Raise maxHeaderBytes if such headers are expected.",
  },
  UPSTREAM_BODY_TOO_LARGE: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: the response body exceeds {limit} bytes",
    cause: "The decompressed response body exceeds maxResponseBytes.",
    remedy:
      "Request less data, e.g. a smaller page, or raise maxResponseBytes (maxDownloadBytes for a download).",
  },
  UPSTREAM_BODY_TOO_COSTLY: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: the response has too many values: reading it costs more than maxResponseCost, {limit}",
    cause:
      "The JSON of the response, or of a record of a stream, has so many values that reading it would delay all other calls.",
    remedy: "Request less data, e.g. a smaller page, or raise maxResponseCost of the upstream.",
  },
  UPSTREAM_BODY_ENCODING: {
    code: Code.Internal,
    text: "upstream {upstream}: expected a body in gzip, deflate, br or zstd, got {problem}",
    cause: "The Content-Encoding is unsupported, or the body does not match it.",
    remedy: "Set acceptEncoding of the upstream to an encoding that it supports, e.g. identity.",
  },

  // Errors in the response of the upstream.
  UPSTREAM_BODY_NOT_JSON: {
    code: Code.Internal,
    text: "upstream {upstream}: expected JSON with status {status}, got {got}",
    cause: "The upstream, or a proxy in front of it, sent something other than JSON with a success status.",
    remedy: "Check the address of the upstream and the response_encoding of the method.",
  },
  UPSTREAM_BODY_NOT_EVENTS: {
    code: Code.Internal,
    text: "upstream {upstream}: expected text/event-stream with status {status}, got {got}",
    cause: "The upstream, or a proxy in front of it, sent something other than server-sent events.",
    remedy:
      "Check that the request asks for a stream, and check the format in the `records` rule of the method.",
  },
  UPSTREAM_BODY_NOT_LINES: {
    code: Code.Internal,
    text: "upstream {upstream}: expected a JSON object on each line with status {status}, got {got}",
    cause: "The upstream sent one JSON array, or server-sent events, but the method reads lines of JSON.",
    remedy: "Set the `format` in the `records` rule of the method to what the upstream sends.",
  },
  UPSTREAM_BODY_NOT_ARRAY: {
    code: Code.Internal,
    text: "upstream {upstream}: expected one JSON array with status {status}, got {got}",
    cause: "The upstream did not send an array, but the method streams the items of an array.",
    remedy:
      "Set the `format` in the `records` rule of the method to what the upstream sends. If the items are below a key of an object, use `paginate`.",
  },
  UPSTREAM_RECORD_TOO_LARGE: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: a record exceeds {limit} bytes",
    cause: "A line, an event, or an item of an array exceeds maxResponseBytes.",
    remedy: "Raise maxResponseBytes of the upstream if such records are expected.",
  },
  UPSTREAM_BODY_TOO_DEEP: {
    code: Code.Internal,
    text: "upstream {upstream}: the response body is nested too deeply: {problem}",
    cause: "The JSON of the response is nested deeper than protobuf allows.",
    remedy: "Report the error to the upstream.",
  },
  UPSTREAM_BODY_PARTIAL: {
    code: Code.Internal,
    text: "upstream {upstream}: partial content (206) in response to a request without a range",
    cause: "The upstream, or a cache in front of it, sent 206 Partial Content to a request without a Range.",
    remedy:
      "Report the error to the upstream, or add 206 to `success` of the method if partial responses are valid.",
  },
  MOVED: {
    code: Code.FailedPrecondition,
    text: "upstream {upstream}: unexpected redirect ({status}); redirects are not followed",
    cause: "The resource has moved. The metadata has the new address as `location`.",
    remedy:
      "Call again with the name or ID in the new address. If the status means success, add it to `success` of the method.",
  },
  REDIRECT_REFUSED: {
    code: Code.FailedPrecondition,
    text: "upstream {upstream}: {method}: a redirect is not followed: {problem}",
    cause:
      "A redirect leads to a host that the configuration does not name, from https to http, from a public to a private address, or to a malformed URL, or there were too many redirects in a row.",
    remedy: "Add the host to `redirects.hosts` of the upstream, if it can be trusted.",
  },
  PAGES_EXCEEDED: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: {method}: the list has more than {limit} pages",
    cause:
      "The list has more pages than max_pages of the method allows. All items of the allowed pages were delivered.",
    remedy: "Request larger pages or a shorter list, or raise max_pages of the method.",
  },
  EMPTY_PAGES_EXCEEDED: {
    code: Code.ResourceExhausted,
    text: "upstream {upstream}: {method}: the list has {limit} consecutive pages without items, and the last one leads to another page",
    cause:
      "The upstream returned more consecutive empty pages than max_empty_pages allows, each with a link or cursor to another page.",
    remedy:
      "Narrow the request, or raise max_empty_pages of the method if the upstream filters its pages. If a list never ends, report the error to the upstream.",
  },
  PAGE_LINK_REFUSED: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: expected a link to the next page below the base URL, got {problem}",
    cause: "The upstream links to another host, to a path outside of its base URL, or to a malformed URL.",
    remedy: "Correct the base URL of the upstream. Credentials are never sent to other URLs.",
  },
  PAGE_REPEATED: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: the {next} of the page leads back to the same page",
    cause: "The cursor or link in a page leads back to the same page.",
    remedy: "Report the error to the upstream, or correct the `paginate` rule of the method.",
  },
  OPERATION_LINK_REFUSED: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: expected the status of accepted work below the base URL, got {problem}",
    cause:
      "The upstream accepted work, but its response has no link to the status, or the link leads to another host or outside of the base URL.",
    remedy: "Correct the `operation` rule of the method, or the base URL of the upstream.",
  },
  OPERATION_UNFINISHED: {
    code: Code.DeadlineExceeded,
    text: "upstream {upstream}: {method}: the accepted work is not done after {polls} polls",
    cause: "The work takes longer than `max_polls` of the method allows. The work may still finish later.",
    remedy: "Raise `max_polls`, or the `interval` between the polls.",
  },
  RESUME_TOKEN_INVALID: {
    code: Code.InvalidArgument,
    text: "{method}: {field}: expected a resume token of this feed, exactly as received, got {problem}; start without a token",
    cause:
      "The resume token was changed or forged, belongs to another feed, or was signed with an unknown key. A process without a configured key generates one when it starts.",
    remedy:
      "Send the token of the last message, unchanged and with the same request. To keep tokens valid after a process ends, set the same `resumeKey` in all processes.",
  },
  FEED_START_AMBIGUOUS: {
    code: Code.InvalidArgument,
    text: "{method}: expected one field that says where the feed starts, got {fields}",
    cause: "The request sets several fields that select the start of the feed.",
    remedy: "Set only one of these fields.",
  },
  FEED_IDENTITY_CHANGED: {
    code: Code.Aborted,
    text: "upstream {upstream}: {method}: the credentials for polling the feed {change}; watch again with the resume token",
    cause:
      "The function that provides credentials returned a different owner than before, or it returned no owner, but different secrets (e.g. a refreshed token), which may belong to another account. Watchers with the old identity must not receive data for the new identity.",
    remedy:
      "Watch again with the token of the last message. To keep streams across refreshed tokens, let the function return an `owner`: the account, or the caller's session.",
  },
  WATCH_DRAINED: {
    code: Code.Unavailable,
    text: "upstream {upstream}: {method}: this server is shutting down and ends the stream; watch again with the resume token",
    cause: "The process that serves the stream is shutting down, e.g. because another process replaces it.",
    remedy:
      "Watch again with the token of the last message. If all processes have the same `resumeKey`, nothing is lost.",
  },
  WATCHER_TOO_SLOW: {
    code: Code.ResourceExhausted,
    text: "{method}: {bytes} bytes are unread, and at most {limit} are buffered for a watcher; watch again with the resume token",
    cause: "The client reads its stream more slowly than events arrive.",
    remedy:
      "Watch again with the token of the last message, and read faster, e.g. by handling events outside of the loop that reads them.",
  },
  WATCHERS_EXHAUSTED: {
    code: Code.ResourceExhausted,
    text: "{method}: the limit of {limit} {what} is reached; try again later",
    cause: "The maximum number of watchers, or of different feeds, is reached.",
    remedy: "Close streams that are not needed, or raise `watch.maxWatchers` or `watch.maxFeeds`.",
  },
  RESPONSE_DRIFT: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: {path}: expected {expected}, got {got} (differences: fail)",
    cause:
      "The response differs from its description, and the settings turn the difference into an error. With `strict`, only lost values are errors.",
    remedy: "Correct the .proto file, or set the class of the difference to `log`.",
  },
  RESPONSE_SHAPE: {
    code: Code.Internal,
    text: "upstream {upstream}: {method}: {path}: expected {expected}, got {got}",
    cause:
      "The response has a value of the wrong type, or no value, in place of the payload or the items of a page, or announces more pages, but not how to request them. The response cannot be read, so the call fails in every mode.",
    remedy:
      'Correct the path in the .proto file. If this value means "empty" in this API, add it to `empty` of `envelope` or `paginate`.',
  },

  // Errors that end a call.
  DEADLINE_EXCEEDED: {
    code: Code.DeadlineExceeded,
    text: "{method}: no response within {limit}",
    cause:
      "The earliest deadline of the call expired: the caller's deadline, the timeout of the method or the default, or the maximum.",
    remedy: "Extend the deadline, or request less data.",
  },
  CANCELED: {
    code: Code.Canceled,
    text: "{method}: canceled by the caller",
    cause: "The caller aborted the call. The upstream may have executed the request.",
    remedy: "None.",
  },

  // Errors in the setup, thrown when a transport or routes are created, and never by a call.
  UPSTREAM_UNKNOWN: {
    code: Code.Internal,
    text: 'service {service}: upstream "{upstream}" is not configured; configured upstreams: {configured}',
    cause: "An adapter names an upstream that is missing from the options.",
    remedy: "Add the upstream to the options under this name.",
  },
  UPSTREAM_BASE_UNKNOWN: {
    code: Code.Internal,
    text: 'method {method}: upstream {upstream} has no base "{base}"; configured bases: {configured}',
    cause: "A method names a base URL that is missing from the options of its upstream.",
    remedy: "Add the base to `bases` of the upstream.",
  },
  UPSTREAM_OPTION_INVALID: {
    code: Code.Internal,
    text: "upstream {upstream}: option {option}: expected {expected}, got {got}",
    cause: "An option of an upstream has an invalid value.",
    remedy: "Correct the option.",
  },
  OPTION_INVALID: {
    code: Code.Internal,
    text: "option {option}: expected {expected}, got {got}",
    cause: "An option has an invalid value.",
    remedy: "Correct the option.",
  },
  SERVICE_DUPLICATE: {
    code: Code.Internal,
    text: "service {service}: more than one adapter",
    cause: "The options list several adapters for one service.",
    remedy: "Remove all but one of them.",
  },
  METHOD_RULES_INVALID: {
    code: Code.Internal,
    text: "method {method}: {problem}",
    cause: "The rules of a method contradict each other.",
    remedy: "Correct the annotations and regenerate the adapter.",
  },
} as const satisfies Record<string, ErrorEntry>;

/** The reasons of the errors of the runtime. */
export type ErrorReason = keyof typeof ERRORS;
