import type { Duplex } from "node:stream";
import type { LimitName } from "../limits.ts";
import { type HttpResponse, sendResponse } from "./http.ts";

/** Why a request is not served: an HTTP status, an RPC code in lower case, and a text for people. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The limit that the request is beyond. */
  readonly limit?: LimitName;
}

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  414: "URI Too Long",
  431: "Request Header Fields Too Large",
};

/** The body of a refusal: the JSON of a Connect error, which every client of ours can read. */
export function refusalBody(refusal: Refusal): string {
  return `${JSON.stringify({ code: refusal.code, message: refusal.message })}\n`;
}

/** Answers a request with a refusal. */
export function sendRefusal(response: HttpResponse, refusal: Refusal): void {
  const body = refusalBody(refusal);
  const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  sendResponse(response, refusal.status, headers, body);
}

/** Answers on a socket whose request Node could not parse, and closes it. */
export function sendRawRefusal(socket: Duplex, refusal: Refusal): void {
  const body = refusalBody(refusal);
  const phrase = REASON_PHRASES[refusal.status] ?? "Error";
  socket.end(
    `HTTP/1.1 ${refusal.status} ${phrase}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
