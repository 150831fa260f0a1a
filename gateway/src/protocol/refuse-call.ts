import type { ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { type HttpResponse, respond } from "../listener/http.ts";
import { sendRefusal } from "../listener/refusal.ts";
import type { Protocol } from "./protocol.ts";

/** Set in the flags of a Connect stream's last message. */
const endStreamFlag = 0b10;

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
  respond(response, 200, {
    "content-type": contentType,
    "grpc-status": String(error.code),
    "grpc-message": encodeURIComponent(error.rawMessage),
  });
}

function refuseStream(response: HttpResponse, contentType: string, error: ConnectError): void {
  const json = JSON.stringify({ error: { code: codeToString(error.code), message: error.rawMessage } });
  const body = Buffer.from(json);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(endStreamFlag);
  prefix.writeUInt32BE(body.length, 1);
  respond(response, 200, { "content-type": contentType }, Buffer.concat([prefix, body]));
}

function refuseUnary(response: HttpResponse, error: ConnectError, status: number): void {
  sendRefusal(response, { status, code: codeToString(error.code), message: error.rawMessage });
}
