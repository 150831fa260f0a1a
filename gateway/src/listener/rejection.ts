import type { Duplex } from "node:stream";
import type { GatewayReasonName } from "../call/error-reasons.ts";
import type { LimitName } from "../limits.ts";
import type { HttpRequest, HttpResponse } from "./http.ts";

/** The rejection of a request: an HTTP status, an RPC code in lower case, and a readable message. */
export interface HttpRejection {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The limit that the request exceeds. */
  readonly limit?: LimitName;
  /** Additional response headers, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to omit the body, because a client that does not read would leave the body in memory. */
  readonly isBare?: boolean;
  /** The reason of the error; set only if the status and the limit do not determine the reason. */
  readonly reason?: GatewayReasonName;
}

/** Sends a rejection as the response to a request, in the format of the request's protocol. */
export type Reject = (request: HttpRequest, response: HttpResponse, rejection: HttpRejection) => void;

/** Headers of responses that must not be cached or interpreted as another content type. */
export const UNCACHED = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/**
 * Returns the body of a rejection for a request of an unknown protocol. The body is plain text, so that an
 * RPC client derives the error code only from the status.
 */
export function rejectionText({ message }: HttpRejection): string {
  return `${message}\n`;
}

/** Returns the headers of a plain text rejection. */
export function rejectionHeaders(rejection: HttpRejection): Record<string, string> {
  return {
    "content-type": "text/plain; charset=utf-8",
    "content-length": String(Buffer.byteLength(rejectionText(rejection))),
    ...UNCACHED,
    ...rejection.headers,
  };
}

/** Sends a rejection on a socket whose request Node could not parse, and closes the socket. */
export function sendRawRejection(socket: Duplex, rejection: HttpRejection): void {
  const headers = Object.entries(rejectionHeaders(rejection)).map(([name, value]) => `${name}: ${value}\r\n`);
  const phrase = REASON_PHRASES[rejection.status] ?? "Error";
  socket.end(
    `HTTP/1.1 ${rejection.status} ${phrase}\r\n${headers.join("")}connection: close\r\n\r\n${rejectionText(rejection)}`,
  );
}
