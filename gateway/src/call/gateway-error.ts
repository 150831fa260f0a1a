import { Code, ConnectError } from "@connectrpc/connect";
import type { ErrorReason } from "connect-rest-runtime";
import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import type { GatewayReasonName } from "./error-reasons.ts";

type Reason = GatewayReasonName | ErrorReason;

/** `google.rpc.ErrorInfo.domain` of the gateway's own errors. */
const DOMAIN = "connect-rest";

/**
 * The reasons for connect's own errors, by message, since these errors have only codes. The first match
 * applies.
 */
const BY_TEXT: ReadonlyArray<readonly [RegExp, GatewayReasonName]> = [
  [/writeMaxBytes/, "RESPONSE_TOO_LARGE"],
  [/^cannot encode /, "RESPONSE_NOT_PRINTABLE"],
  [
    /^(parse binary|protocol error|decompression failed|received |invalid |incomplete|missing )/,
    "REQUEST_MALFORMED",
  ],
];

const BY_CODE: ReadonlyMap<Code, Reason> = new Map<Code, Reason>([
  [Code.InvalidArgument, "REQUEST_MALFORMED"],
  [Code.ResourceExhausted, "REQUEST_TOO_LARGE"],
  [Code.Unimplemented, "PROTOCOL_UNSUPPORTED"],
  [Code.DeadlineExceeded, "DEADLINE_EXCEEDED"],
  [Code.Canceled, "CANCELED"],
  [Code.Aborted, "CANCELED"],
  [Code.Internal, "GATEWAY_FAILED"],
  [Code.Unknown, "GATEWAY_FAILED"],
]);

/** Creates an error of the gateway. A google.rpc.ErrorInfo is its first detail. */
export function gatewayError(
  reason: GatewayReasonName | ErrorReason,
  text: string,
  code: Code,
  details: ReadonlyArray<Extract<ConnectError["details"][number], { desc: unknown }>> = [],
  cause?: unknown,
  domain: string = DOMAIN,
): ConnectError {
  return new ConnectError(text, code, undefined, [infoOf(reason, domain), ...details], cause);
}

/** The header that names the accepted credentials (RFC 9110 section 11.6.1). */
const CHALLENGE = "www-authenticate";

/** The challenge for gateways that issue no tokens: only the upstream knows which credentials it accepts. */
const BARE_CHALLENGE = 'Bearer realm="connect-rest"';

/**
 * Returns the error with the challenge that a 401 requires (RFC 9110 section 15.5.2, RFC 6750 section 3);
 * gRPC carries the challenge in trailers. Other errors are not changed.
 */
export function withChallenge(error: ConnectError, challenge = BARE_CHALLENGE): ConnectError {
  if (error.code === Code.Unauthenticated && !error.metadata.has(CHALLENGE)) {
    error.metadata.set(CHALLENGE, challenge);
  }
  return error;
}

/**
 * Returns the code of an error. Invalid protobuf is the sender's mistake, so its code is INVALID_ARGUMENT, as
 * for invalid JSON, although connect reports INTERNAL.
 */
export function codeOf({ code, rawMessage }: ConnectError): Code {
  return code === Code.Internal && rawMessage.startsWith("parse binary: ") ? Code.InvalidArgument : code;
}

/**
 * Returns the error with a reason, and with the code of `codeOf`. An error without a google.rpc.ErrorInfo
 * comes from connect's request parsing, and gets the reason for its message and code. Codes that connect does
 * not use come from handlers other than adapters; such errors are not changed.
 */
export function withReason(error: ConnectError): ConnectError {
  if (error.details.some((detail) => typeNameOf(detail) === ErrorInfoSchema.typeName)) return error;
  const reason = BY_TEXT.find(([text]) => text.test(error.rawMessage))?.[1] ?? BY_CODE.get(error.code);
  if (reason === undefined) return error;
  const own = codeOf(error) === error.code ? error : new ConnectError(error.rawMessage, codeOf(error));
  own.details.unshift(infoOf(reason));
  return own;
}

function typeNameOf(detail: ConnectError["details"][number]): string {
  return "desc" in detail ? detail.desc.typeName : detail.type;
}

function infoOf(reason: Reason, domain = DOMAIN) {
  return { desc: ErrorInfoSchema, value: { reason, domain } };
}
