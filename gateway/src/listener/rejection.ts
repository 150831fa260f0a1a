import type { Duplex } from "node:stream";
import type { GatewayReasonName } from "../call/error-reasons.ts";
import type { LimitName } from "../limits.ts";
import type { HttpRequest, HttpResponse } from "./http.ts";

/** Why a request is not served: an HTTP status, an RPC code in lower case, and a text for people. */
export interface HttpRejection {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The limit that the request is beyond. */
  readonly limit?: LimitName;
  /** Further headers of the response, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Send no body, which a client that does not read would leave here. */
  readonly isBare?: boolean;
  /** Where the status and the limit do not tell. */
  readonly reason?: GatewayReasonName;
}

/** Sends a rejection as the response to a request, in the words of the protocol that the request is of. */
export type Reject = (request: HttpRequest, response: HttpResponse, rejection: HttpRejection) => void;

/** For responses that no cache may keep, and no browser may take for something else. */
export const UNCACHED = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/**
 * The body of a rejection where no protocol is known: a text, since a client of one must not read an error of
 * another code into it than it reads into the status.
 */
export function rejectionText({ message }: HttpRejection): string {
  return `${message}\n`;
}

/** The headers of a rejection as text. */
export function rejectionHeaders(rejection: HttpRejection): Record<string, string> {
  return {
    "content-type": "text/plain; charset=utf-8",
    "content-length": String(Buffer.byteLength(rejectionText(rejection))),
    ...UNCACHED,
    ...rejection.headers,
  };
}

/** Sends a rejection on a socket whose request Node could not parse, and closes it. */
export function sendRawRejection(socket: Duplex, rejection: HttpRejection): void {
  const headers = Object.entries(rejectionHeaders(rejection)).map(([name, value]) => `${name}: ${value}\r\n`);
  const phrase = REASON_PHRASES[rejection.status] ?? "Error";
  socket.end(
    `HTTP/1.1 ${rejection.status} ${phrase}\r\n${headers.join("")}connection: close\r\n\r\n${rejectionText(rejection)}`,
  );
}
