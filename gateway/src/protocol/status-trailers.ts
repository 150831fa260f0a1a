import type { ConnectError } from "@connectrpc/connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Call } from "../call/call.ts";
import { withReason } from "../call/gateway-error.ts";
import { boundedError, HEADER_BOUNDS } from "./bounded-error.ts";

/** A call whose response is ending. */
export type EndedCall = Pick<Call, "failedInHandler" | "endError">;

/**
 * The characters that grpc-message has to escape: everything except printable ASCII, and the percent sign.
 */
const ESCAPED = /[^\x20-\x24\x26-\x7e]+/gu;

/** Returns the trailers for an error in gRPC and gRPC-Web. */
export function statusTrailers(error: ConnectError): Headers {
  const bounded = boundedError(error, HEADER_BOUNDS);
  return encoded(setTrailerStatus(new Headers(), bounded), bounded.rawMessage);
}

/**
 * Corrects trailers that connect wrote: an error that no handler threw gets a reason, and its message gets
 * gRPC's encoding. Records the error in the call.
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
 * Percent-encodes a message (gRPC over HTTP/2, Percent-Encoded). The protocol allows more escapes, but some
 * clients show messages without decoding them.
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
