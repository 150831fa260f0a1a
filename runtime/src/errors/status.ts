import { Code } from "@connectrpc/connect";

/** The default meaning of an HTTP status. */
export interface StatusMeaning {
  readonly code: Code;
  /** `google.rpc.ErrorInfo.reason`. */
  readonly reason: string;
  /** The reason phrase in RFC 9110 or a related standard, for messages. */
  readonly phrase: string;
}

const MEANINGS: Readonly<Record<number, readonly [code: Code, phrase: string]>> = {
  // an error here, since the runtime sent no conditional request
  304: [Code.FailedPrecondition, "Not Modified"],
  400: [Code.InvalidArgument, "Bad Request"],
  401: [Code.Unauthenticated, "Unauthorized"],
  402: [Code.FailedPrecondition, "Payment Required"],
  403: [Code.PermissionDenied, "Forbidden"],
  404: [Code.NotFound, "Not Found"],
  405: [Code.Unimplemented, "Method Not Allowed"],
  406: [Code.FailedPrecondition, "Not Acceptable"],
  407: [Code.FailedPrecondition, "Proxy Authentication Required"],
  408: [Code.DeadlineExceeded, "Request Timeout"],
  409: [Code.Aborted, "Conflict"],
  410: [Code.NotFound, "Gone"],
  411: [Code.InvalidArgument, "Length Required"],
  412: [Code.FailedPrecondition, "Precondition Failed"],
  413: [Code.InvalidArgument, "Content Too Large"],
  414: [Code.InvalidArgument, "URI Too Long"],
  415: [Code.InvalidArgument, "Unsupported Media Type"],
  416: [Code.OutOfRange, "Range Not Satisfiable"],
  422: [Code.InvalidArgument, "Unprocessable Content"],
  423: [Code.FailedPrecondition, "Locked"],
  425: [Code.Unavailable, "Too Early"],
  428: [Code.FailedPrecondition, "Precondition Required"],
  429: [Code.ResourceExhausted, "Too Many Requests"],
  431: [Code.InvalidArgument, "Request Header Fields Too Large"],
  451: [Code.PermissionDenied, "Unavailable For Legal Reasons"],
  500: [Code.Internal, "Internal Server Error"],
  501: [Code.Unimplemented, "Not Implemented"],
  502: [Code.Unavailable, "Bad Gateway"],
  503: [Code.Unavailable, "Service Unavailable"],
  504: [Code.DeadlineExceeded, "Gateway Timeout"],
  507: [Code.ResourceExhausted, "Insufficient Storage"],
  511: [Code.FailedPrecondition, "Network Authentication Required"],
};

/**
 * Returns the default meaning of a status. For statuses that are not in the table: other 3xx mean
 * FAILED_PRECONDITION with reason MOVED, since redirects are not followed; other 4xx mean
 * FAILED_PRECONDITION; 520 to 530 mean UNAVAILABLE, since CDNs use them for an unreachable origin; other 5xx
 * and all remaining statuses mean UNKNOWN. A 2xx response is an error only by a rule of the method, or if it
 * has errors in place of a payload.
 */
export function meaningOf(status: number): StatusMeaning {
  const row = MEANINGS[status];
  if (row !== undefined) {
    const [code, phrase] = row;
    return { code, phrase, reason: phrase.toUpperCase().replaceAll(" ", "_") };
  }
  // a 2xx response is an error by a rule of the method, or because it has errors in place of a payload
  if (status >= 200 && status <= 299) {
    return { code: Code.Unknown, reason: "ERROR_IN_RESPONSE", phrase: "OK" };
  }
  if (status >= 300 && status <= 399) {
    return { code: Code.FailedPrecondition, reason: "MOVED", phrase: "Redirect" };
  }
  if (status >= 400 && status <= 499) {
    return { code: Code.FailedPrecondition, reason: "CLIENT_ERROR", phrase: "Client Error" };
  }
  const code = status >= 520 && status <= 530 ? Code.Unavailable : Code.Unknown;
  return status >= 500
    ? { code, reason: "SERVER_ERROR", phrase: "Server Error" }
    : { code: Code.Unknown, reason: "UNEXPECTED_STATUS", phrase: "Unexpected Status" };
}

/** All statuses in the table. */
export const KNOWN_STATUSES: readonly number[] = Object.keys(MEANINGS).map(Number);
