import type { ConnectError } from "@connectrpc/connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Call } from "../call/call.ts";
import { withReason } from "../call/gateway-error.ts";
import { boundedError, HEADER_BOUNDS } from "./bounded-error.ts";

/** A call whose response comes to its end. */
export type EndedCall = Pick<Call, "failedInHandler" | "endError">;

/** What grpc-message has to escape: all but printable ASCII, and the percent sign itself. */
const ESCAPED = /[^\x20-\x24\x26-\x7e]+/gu;

/** The status of an error as trailers of gRPC and gRPC-Web. */
export function statusTrailers(error: ConnectError): Headers {
  const bounded = boundedError(error, HEADER_BOUNDS);
  return encoded(setTrailerStatus(new Headers(), bounded), bounded.rawMessage);
}

/**
 * Trailers that connect wrote: an error among them gets a reason, unless a handler threw it, and its text the
 * encoding of gRPC. The call gets to know it.
 */
export function withStatus(trailers: Headers, call: EndedCall): Headers {
  const error = trailers.has("grpc-status") ? findTrailerError(trailers) : undefined;
  if (error === undefined) return trailers;
  call.endError = error;
  const status = statusTrailers(call.failedInHandler ? error : withReason(error));
  for (const [name, value] of status) if (name.startsWith("grpc-")) trailers.set(name, value);
  return trailers;
}

function encoded(trailers: Headers, text: string): Headers {
  trailers.set("grpc-message", grpcMessage(text));
  return trailers;
}

/**
 * Percent-encodes as gRPC does (gRPC over HTTP/2, Percent-Encoded). More is legal, but clients exist that
 * show texts as they come.
 */
export function grpcMessage(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(ESCAPED, (part) =>
      encodeURIComponent(part).replace(
        /[^%A-Za-z0-9]/g,
        (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
      ),
    );
  // HTTP strips spaces at the ends of a value
  return escaped.replace(/^ +| +$/g, (spaces) => "%20".repeat(spaces.length));
}
