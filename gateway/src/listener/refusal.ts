import type { Duplex } from "node:stream";
import { Code } from "@connectrpc/connect";
import { codeFromString, errorToJson } from "@connectrpc/connect/protocol-connect";
import type { GatewayReasonName } from "../call/error-reasons.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { LimitName } from "../limits.ts";
import { type HttpResponse, sendResponse } from "./http.ts";

/** Why a request is not served: an HTTP status, an RPC code in lower case, and a text for people. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The limit that the request is beyond. */
  readonly limit?: LimitName;
  /** Where the status and the limit do not tell. */
  readonly reason?: GatewayReasonName;
}

/** For responses that no cache may keep, and no browser may take for something else. */
export const UNCACHED = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  414: "URI Too Long",
  431: "Request Header Fields Too Large",
};

/** The body of a refusal: the JSON of a Connect error, which every client of ours can read. */
export function refusalBody(refusal: Refusal): string {
  const code = codeFromString(refusal.code) ?? Code.Unknown;
  const error = gatewayError(reasonOf(refusal), refusal.message, code);
  return `${JSON.stringify(errorToJson(error, undefined))}\n`;
}

function reasonOf({ status, limit, reason }: Refusal): GatewayReasonName {
  if (reason !== undefined) return reason;
  if (status === 408) return "REQUEST_STALLED";
  if (status === 405 || status === 505) return "PROTOCOL_UNSUPPORTED";
  if (status >= 500) return "GATEWAY_FAILED";
  return limit === undefined ? "REQUEST_MALFORMED" : "REQUEST_TOO_LARGE";
}

/** Sends a refusal as the response to a request. */
export function sendRefusal(response: HttpResponse, refusal: Refusal): void {
  const body = refusalBody(refusal);
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...UNCACHED,
  };
  sendResponse(response, refusal.status, headers, body);
}

/** Sends a refusal on a socket whose request Node could not parse, and closes it. */
export function sendRawRefusal(socket: Duplex, refusal: Refusal): void {
  const body = refusalBody(refusal);
  const phrase = REASON_PHRASES[refusal.status] ?? "Error";
  socket.end(
    `HTTP/1.1 ${refusal.status} ${phrase}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
