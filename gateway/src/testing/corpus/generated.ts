import fc from "fast-check";
import { block, END_HEADERS, END_STREAM, frame, preface, type } from "../frames.ts";

/**
 * Strings that replace the HTTP version in a request line: versions of HTTP, of related protocols, and
 * invalid strings. (Node accepts RTSP/1.0 as HTTP.)
 */
export const VERSIONS: readonly string[] = [
  "HTTP/2.0",
  "HTTP/2",
  "HTTP/2.1",
  "HTTP/1.2",
  "HTTP/3.0",
  "HTTP/3",
  "HTTP/0.9",
  "HTTP/9.9",
  "HTTP/11",
  "HTTP/1.",
  "HTTP/.1",
  "HTTP/-1.1",
  "HTTP/1.1 HTTP/2.0",
  "http/1.1",
  "HTTP",
  "HTTP/",
  "RTSP/2.0",
  "ICE/1.0",
  "SIP/2.0",
  "PRI",
  "",
];

/** HTTP methods with special handling in Node or the gateway, and other methods. */
const VERBS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "OPTIONS",
  "CONNECT",
  "PRI",
  "TRACE",
  "M-SEARCH",
  "SOURCE",
  "GETX",
];

const PATHS = ["/", "*", "/healthz", "/echo.v1.EchoService/Echo", "http://a/", "a:1", "", "//", "/%", "/?"];

const NAMES = [
  "Host",
  "Expect",
  "Connection",
  "Upgrade",
  "HTTP2-Settings",
  "Content-Length",
  "Transfer-Encoding",
  "Content-Type",
  "Content-Encoding",
  "Grpc-Timeout",
  "Connect-Timeout-Ms",
  "TE",
  "Trailer",
];

const VALUES = [
  "a",
  "100-continue",
  "close",
  "upgrade, http2-settings",
  "h2c",
  "websocket",
  "AAMAAABkAARAAAAAAAIAAAAA",
  "0",
  "1",
  "chunked",
  "application/grpc",
  "application/json",
  "application/connect+json",
  "gzip",
  "1n",
  "",
  "\u00ff",
];

const header = fc.tuple(
  fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 8 })),
  fc.oneof(fc.constantFrom(...VALUES), fc.string({ maxLength: 8 })),
);

/** One or more HTTP/1 requests on a connection, in two parts. */
export const hostileHttp1: fc.Arbitrary<readonly Uint8Array[]> = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.constantFrom(...VERBS),
        fc.oneof(fc.constantFrom(...PATHS), fc.string({ maxLength: 12 })),
        fc.oneof(fc.constantFrom("HTTP/1.1", "HTTP/1.0", ...VERSIONS), fc.string({ maxLength: 10 })),
        fc.array(header, { maxLength: 5 }),
        fc.constantFrom(
          "",
          "{}",
          "0\r\n\r\n",
          "2\r\n{}\r\n0\r\nx: y\r\n\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    fc.nat(80),
  )
  .map(([requests, cut]) => {
    const bytes = Buffer.concat(
      requests.map(([verb, target, version, headers, body]) => {
        const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
        return Buffer.from(`${verb} ${target} ${version}\r\n${lines}\r\n${body}`, "latin1");
      }),
    );
    return [bytes.subarray(0, cut), bytes.subarray(cut)];
  });

const PSEUDO: readonly (readonly [string, string])[] = [
  [":method", "POST"],
  [":method", "GET"],
  [":method", "CONNECT"],
  [":method", "OPTIONS"],
  [":scheme", "http"],
  [":path", "/echo.v1.EchoService/Repeat"],
  [":path", "/echo.v1.EchoService/Echo"],
  [":path", "/healthz"],
  [":path", "/"],
  [":path", "*"],
  [":authority", "a"],
  [":protocol", "websocket"],
];

const REGULAR: readonly (readonly [string, string])[] = [
  ["expect", "100-continue"],
  ["expect", "something"],
  ["content-type", "application/grpc"],
  ["content-type", "application/connect+json"],
  ["content-type", "application/json"],
  ["content-length", "0"],
  ["content-length", "9"],
  ["te", "trailers"],
  ["host", "b"],
  ["grpc-timeout", "1n"],
  ["grpc-encoding", "gzip"],
  ["trailer", "x"],
];

const GOOD: readonly (readonly [string, string])[] = [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/echo.v1.EchoService/Repeat"],
  [":authority", "a"],
];

const head = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(GOOD) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...PSEUDO), { maxLength: 5 }) },
    ),
    fc.array(fc.constantFrom(...REGULAR), { maxLength: 4 }),
  )
  .map(([pseudo, regular]) => block([...pseudo, ...regular]));

const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

/** Generates frames that follow the HEADERS frame of a stream in the same packet. */
const after = (stream: number) =>
  fc.oneof(
    fc.constantFrom(0, 1, 2, 5, 8, 11).map((code) => frame(type.reset, 0, stream, u32(code))),
    fc.constantFrom(0, 1, 2 ** 31 - 1).map((size) => frame(type.window, 0, stream, u32(size))),
    fc
      .tuple(fc.uint8Array({ maxLength: 20 }), fc.boolean())
      .map(([bytes, isLast]) => frame(type.data, isLast ? END_STREAM : 0, stream, bytes)),
    fc.constant(frame(type.headers, END_HEADERS | END_STREAM, stream, block([["x-trailer", "1"]]))),
    fc.constant(frame(type.settings, 0, 0, [0, 4, ...u32(0)])),
    fc.constant(frame(type.goaway, 0, 0, [...u32(0), ...u32(0)])),
    fc.constant(frame(type.ping, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])),
    fc.constant(frame(type.priority, 0, stream, [0, 0, 0, 0, 1])),
  );

/** An HTTP/2 connection in one or two packets. Each of its frames is well-formed. */
export const hostileHttp2: fc.Arbitrary<readonly Uint8Array[]> = fc
  .tuple(
    ...[1, 3, 5].map((stream) =>
      fc
        .tuple(head, fc.constantFrom(0, END_STREAM), fc.array(after(stream), { maxLength: 4 }))
        .map(([bytes, flags, tail]) => [frame(type.headers, END_HEADERS | flags, stream, bytes), ...tail]),
    ),
  )
  .chain((streams) => fc.tuple(fc.constant(streams.flat()), fc.nat(200)))
  .map(([frames, cut]) => {
    const whole = Buffer.concat([preface, frame(type.settings, 0, 0), ...frames]);
    return cut > 100 ? [whole] : [whole.subarray(0, cut), whole.subarray(cut)];
  });

/** Returns every split of bytes into two parts. */
export function splits(bytes: Uint8Array): (readonly Uint8Array[])[] {
  return Array.from({ length: bytes.length }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
}
