import type { ConnectError } from "@connectrpc/connect";
import { endStreamFlag, endStreamToJson, errorToJson } from "@connectrpc/connect/protocol-connect";
import { RetryInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import type { Protocol } from "../call/protocol.ts";
import { BODY_BOUNDS, boundedError } from "./bounded-error.ts";
import { envelopes } from "./envelope.ts";
import { statusTrailers } from "./status-trailers.ts";
import type { WholeResponse } from "./whole-response.ts";

/**
 * Returns the response to a call that reaches no handler, in the format of its protocol: headers only for
 * gRPC and gRPC-Web ("Trailers-Only"), an end-stream message for Connect streams, and `httpStatus` with JSON
 * for everything else.
 */
export function errorResponse(
  protocol: Protocol,
  contentType: string | undefined,
  error: ConnectError,
  httpStatus: number,
): WholeResponse {
  if (protocol !== "connect") return grpcError(contentType ?? "application/grpc", error);
  if (contentType !== undefined && /^application\/connect\+/i.test(contentType)) {
    return streamError(contentType, error);
  }
  return unaryError(error, httpStatus);
}

function grpcError(contentType: string, error: ConnectError): WholeResponse {
  const status = statusTrailers(error);
  const headers = { "content-type": contentType, ...Object.fromEntries(status) };
  return { status: 200, headers, body: new Uint8Array() };
}

function streamError(contentType: string, error: ConnectError): WholeResponse {
  const message = Buffer.from(
    JSON.stringify(endStreamToJson(new Headers(), boundedError(error, BODY_BOUNDS), undefined)),
  );
  const body = envelopes([endStreamFlag, message]);
  return { status: 200, headers: { "content-type": contentType }, body };
}

function unaryError(error: ConnectError, status: number): WholeResponse {
  const body = Buffer.from(`${JSON.stringify(errorToJson(boundedError(error, BODY_BOUNDS), undefined))}\n`);
  const seconds = retrySeconds(error);
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.length),
    ...(seconds === undefined ? {} : { "retry-after": seconds }),
  };
  return { status, headers, body };
}

/**
 * Returns the delay of google.rpc.RetryInfo, rounded up to the whole seconds of Retry-After (RFC 9110 section
 * 10.2.3).
 */
function retrySeconds(error: ConnectError): string | undefined {
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return delay && String(Number(delay.seconds) + (delay.nanos > 0 ? 1 : 0));
}
