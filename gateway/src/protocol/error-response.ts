import type { ConnectError } from "@connectrpc/connect";
import { endStreamFlag, endStreamToJson, errorToJson } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Protocol } from "../call/protocol.ts";
import { RetryInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { type HttpResponse, respond } from "../listener/http.ts";

/**
 * Answers a call that no handler takes, in the way its protocol says: gRPC and gRPC-Web with headers alone
 * ("Trailers-Only"), a Connect stream with its last message, everything else with `httpStatus` and JSON.
 */
export function refuseCall(
  response: HttpResponse,
  protocol: Protocol,
  contentType: string | undefined,
  error: ConnectError,
  httpStatus: number,
): void {
  if (protocol !== "connect") refuseGrpc(response, contentType ?? "application/grpc", error);
  else if (/^application\/connect\+/i.test(contentType ?? ""))
    refuseStream(response, contentType ?? "", error);
  else refuseUnary(response, error, httpStatus);
}

function refuseGrpc(response: HttpResponse, contentType: string, error: ConnectError): void {
  const status = new Headers();
  setTrailerStatus(status, error);
  respond(response, 200, { "content-type": contentType, ...Object.fromEntries(status) });
}

function refuseStream(response: HttpResponse, contentType: string, error: ConnectError): void {
  const body = Buffer.from(JSON.stringify(endStreamToJson(new Headers(), error, undefined)));
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(endStreamFlag);
  prefix.writeUInt32BE(body.length, 1);
  respond(response, 200, { "content-type": contentType }, Buffer.concat([prefix, body]));
}

function refuseUnary(response: HttpResponse, error: ConnectError, status: number): void {
  const body = `${JSON.stringify(errorToJson(error, undefined))}\n`;
  const seconds = retrySeconds(error);
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...(seconds === undefined ? {} : { "retry-after": seconds }),
  };
  respond(response, status, headers, body);
}

/** The delay of google.rpc.RetryInfo, rounded up to what Retry-After can say (RFC 9110 section 10.2.3). */
function retrySeconds(error: ConnectError): string | undefined {
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return delay && String(Number(delay.seconds) + (delay.nanos > 0 ? 1 : 0));
}
