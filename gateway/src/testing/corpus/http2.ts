import { block, END_HEADERS, END_STREAM, frame, PADDED, preface, type, WITH_PRIORITY } from "../frames.ts";
import { type HostileInput, inputs } from "./hostile-input.ts";
import { envelopeBodies } from "./rpc.ts";

const GOOD = [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/echo.v1.EchoService/Repeat"],
  [":authority", "a"],
  ["content-type", "application/grpc+json"],
  ["te", "trailers"],
] as const;

const without = (name: string) => GOOD.filter(([each]) => each !== name);
const replaced = (name: string, value: string) =>
  GOOD.map(([each, was]) => [each, each === name ? value : was] as const);
const settings = frame(type.settings, 0, 0);
const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const setting = (id: number, value: number) => frame(type.settings, 0, 0, [0, id, ...u32(value)]);
const open = (stream: number, flags = END_HEADERS) => frame(type.headers, flags, stream, block(GOOD));
const repeat = (count: number, make: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));

/** Prepends a valid preface and settings to each input. */
function session(table: Readonly<Record<string, Buffer>>): Record<string, Buffer[]> {
  return Object.fromEntries(Object.entries(table).map(([name, bytes]) => [name, [preface, settings, bytes]]));
}

const requests = (table: Readonly<Record<string, readonly (readonly [string, string])[]>>) =>
  session(
    Object.fromEntries(
      Object.entries(table).map(([name, list]) => [
        name,
        frame(type.headers, END_HEADERS | END_STREAM, 1, block(list)),
      ]),
    ),
  );

const headerLists = {
  "no method": without(":method"),
  "no path": without(":path"),
  "no scheme": without(":scheme"),
  "no authority": without(":authority"),
  "no headers at all": [],
  "an empty path": replaced(":path", ""),
  "a relative path": replaced(":path", "echo"),
  "a star": replaced(":path", "*"),
  "a bracket as authority": replaced(":authority", "["),
  "a percent as authority": replaced(":authority", "%"),
  "a port that is none": replaced(":authority", "x:99999"),
  "an empty authority": replaced(":authority", ""),
  "a user in the authority": replaced(":authority", "u:p@a"),
  "NUL in the authority": replaced(":authority", "a\0b"),
  "two paths": [...GOOD.slice(0, 4), [":path", "/"]],
  "two authorities": [...GOOD.slice(0, 4), [":authority", "b"]],
  "two hosts": [...GOOD, ["host", "b"]],
  "a pseudo header that is late": [["x", "1"], ...GOOD],
  "a pseudo header that nobody knows": [[":frob", "1"], ...GOOD],
  "a status in a request": [[":status", "200"], ...GOOD],
  "a protocol in a request": [[":protocol", "websocket"], ...GOOD],
  "CONNECT with a path": replaced(":method", "CONNECT"),
  "capital letters in a name": [...GOOD, ["X-Big", "1"]],
  "a connection header": [...GOOD, ["connection", "close"]],
  "a transfer encoding": [...GOOD, ["transfer-encoding", "chunked"]],
  "te: gzip": [...GOOD, ["te", "gzip"]],
  "an empty name": [...GOOD, ["", "1"]],
  "a line end in a value": [...GOOD, ["x", "a\r\nb: c"]],
  "NUL in a value": [...GOOD, ["x", "a\0b"]],
  "a space in a name": [...GOOD, ["x y", "1"]],
  "a length that is a lie": [...GOOD, ["content-length", "1000"]],
  "a negative length": [...GOOD, ["content-length", "-1"]],
  "two lengths": [...GOOD, ["content-length", "1"], ["content-length", "2"]],
  "500 headers": [...GOOD, ...Array.from({ length: 500 }, (_, i) => [`x${i}`, "1"] as const)],
  "a path of 9 KiB": replaced(":path", `/${"x".repeat(9216)}`),
  "a deadline of letters": [...GOOD, ["grpc-timeout", "soon"]],
  "a deadline of 9 digits": [...GOOD, ["grpc-timeout", "123456789S"]],
  "a negative deadline": [...GOOD, ["grpc-timeout", "-1S"]],
  "an encoding that nobody knows": [...GOOD, ["grpc-encoding", "rot13"]],
  "a binary header that is not base64": [...GOOD, ["x-data-bin", "***"]],
} satisfies Record<string, readonly (readonly [string, string])[]>;

const frames = {
  "DATA on stream 0": frame(type.data, 0, 0, [1]),
  "DATA on an idle stream": frame(type.data, 0, 5, [1]),
  "HEADERS on stream 0": frame(type.headers, END_HEADERS, 0, block(GOOD)),
  "HEADERS on an even stream": open(2),
  "HEADERS on a stream that is past": Buffer.concat([open(5), open(3)]),
  "HEADERS twice on one stream": Buffer.concat([open(1), open(1)]),
  "HEADERS that end, and DATA": Buffer.concat([
    open(1, END_HEADERS | END_STREAM),
    frame(type.data, 0, 1, [1]),
  ]),
  "HEADERS that do not end, and DATA": Buffer.concat([open(1, 0), frame(type.data, 0, 1, [1])]),
  "HEADERS that do not end, and silence": open(1, 0),
  "HEADERS padded beyond their length": frame(type.headers, END_HEADERS | PADDED, 1, [200, 0]),
  "HEADERS that depend on themselves": frame(type.headers, END_HEADERS | WITH_PRIORITY, 1, [
    ...u32(1),
    16,
    ...block(GOOD),
  ]),
  "CONTINUATION of nothing": frame(type.continuation, END_HEADERS, 1, block(GOOD)),
  "CONTINUATION of another stream": Buffer.concat([open(1, 0), frame(type.continuation, END_HEADERS, 3, [])]),
  "1000 empty CONTINUATIONs": Buffer.concat([open(1, 0), repeat(1000, () => frame(type.continuation, 0, 1))]),
  "CONTINUATIONs of 1 MiB": Buffer.concat([
    open(1, 0),
    repeat(70, (i) => frame(type.continuation, 0, 1, block([[`x${i}`, "x".repeat(15_000)]]))),
  ]),
  "a header table that is garbage": frame(type.headers, END_HEADERS, 1, Buffer.alloc(100, 0xff)),
  "index 0 of the header table": frame(type.headers, END_HEADERS, 1, [0x80]),
  "an index beyond the header table": frame(type.headers, END_HEADERS, 1, [0xfe]),
  "a huge header table": frame(type.headers, END_HEADERS, 1, [0x3f, 0xe1, 0xff, 0xff, 0xff, 0x0f]),
  "an integer without end": frame(type.headers, END_HEADERS, 1, [0xff, ...Array(20).fill(0xff)]),
  "a string beyond its block": frame(type.headers, END_HEADERS, 1, [0, 0x7f, 0xff, 0x7f]),
  "Huffman that is none": frame(type.headers, END_HEADERS, 1, [0, 0x81, 0x00, 0x81, 0xff]),
  "PRIORITY that depends on itself": frame(type.priority, 0, 1, [...u32(1), 16]),
  "PRIORITY of the wrong length": frame(type.priority, 0, 1, [1]),
  "PRIORITY 10,000 times": repeat(10_000, (i) => frame(type.priority, 0, 2 * i + 1, [...u32(0), 16])),
  "RST_STREAM on stream 0": frame(type.reset, 0, 0, u32(8)),
  "RST_STREAM on an idle stream": frame(type.reset, 0, 9, u32(8)),
  "RST_STREAM of the wrong length": Buffer.concat([open(1), frame(type.reset, 0, 1, [1])]),
  "500 streams that are reset at once": repeat(500, (i) =>
    Buffer.concat([open(2 * i + 1), frame(type.reset, 0, 2 * i + 1, u32(8))]),
  ),
  "500 streams that make the server reset": repeat(500, (i) =>
    Buffer.concat([open(2 * i + 1), frame(type.window, 0, 2 * i + 1, u32(0))]),
  ),
  "500 streams beyond what is allowed": repeat(500, (i) => open(2 * i + 1)),
  "a stream that is never ended": open(1),
  "100 streams that are never ended": repeat(100, (i) => open(2 * i + 1)),
  "SETTINGS on a stream": frame(type.settings, 0, 1),
  "SETTINGS of the wrong length": frame(type.settings, 0, 0, [0, 1, 0]),
  "SETTINGS that confirm with content": frame(type.settings, 1, 0, [0, 1, 0, 0, 0, 0]),
  "SETTINGS that push": setting(2, 2),
  "SETTINGS with a window of 2^31": setting(4, 2 ** 31),
  "SETTINGS with small frames": setting(5, 1),
  "SETTINGS with huge frames": setting(5, 2 ** 24),
  "SETTINGS with no window": Buffer.concat([setting(4, 0), open(1)]),
  "SETTINGS that nobody knows": setting(200, 1),
  "SETTINGS 5000 times": repeat(5000, () => settings),
  "SETTINGS with 5000 entries": frame(
    type.settings,
    0,
    0,
    Array.from({ length: 2500 }, () => [0, 3, 0, 0, 0, 1]).flat(),
  ),
  "SETTINGS confirmed 1000 times": repeat(1000, () => frame(type.settings, 1, 0)),
  "PUSH_PROMISE from a client": frame(type.push, END_HEADERS, 1, [...u32(2), ...block(GOOD)]),
  "PING on a stream": frame(type.ping, 0, 1, Array(8).fill(0)),
  "PING of the wrong length": frame(type.ping, 0, 0, [1]),
  "PING 10,000 times": repeat(10_000, () => frame(type.ping, 0, 0, Array(8).fill(7))),
  "PING answers that nobody asked for": repeat(1000, () => frame(type.ping, 1, 0, Array(8).fill(7))),
  "GOAWAY, and a stream": Buffer.concat([frame(type.goaway, 0, 0, [...u32(0), ...u32(0)]), open(1)]),
  "GOAWAY on a stream": frame(type.goaway, 0, 1, [...u32(0), ...u32(0)]),
  "GOAWAY with 16 KiB of text": frame(type.goaway, 0, 0, Buffer.alloc(16_000, 65)),
  "WINDOW_UPDATE of 0": frame(type.window, 0, 0, u32(0)),
  "WINDOW_UPDATE beyond 2^31": repeat(3, () => frame(type.window, 0, 0, u32(2 ** 31 - 1))),
  "WINDOW_UPDATE on an idle stream": frame(type.window, 0, 7, u32(1)),
  "WINDOW_UPDATE of the wrong length": frame(type.window, 0, 0, [1]),
  "WINDOW_UPDATE 10,000 times": repeat(10_000, () => frame(type.window, 0, 0, u32(1))),
  "empty DATA 10,000 times": Buffer.concat([open(1), repeat(10_000, () => frame(type.data, 0, 1))]),
  "DATA that is all padding": Buffer.concat([
    open(1),
    repeat(100, () => frame(type.data, PADDED, 1, [255, ...Array(255).fill(0)])),
  ]),
  "DATA padded beyond its length": Buffer.concat([open(1), frame(type.data, PADDED, 1, [200])]),
  "DATA beyond the window": Buffer.concat([
    open(1),
    repeat(50, () => frame(type.data, 0, 1, Buffer.alloc(16_000))),
  ]),
  "a frame of 16 MiB": frame(type.data, 0, 1, [], 2 ** 24 - 1),
  "a frame of 20 KiB": Buffer.concat([open(1), frame(type.data, 0, 1, Buffer.alloc(20_000))]),
  "a frame that is cut": frame(type.headers, END_HEADERS, 1, [0x82], 100),
  "half a frame's head": Buffer.from([0, 0, 4]),
  "an unknown type": frame(0xfe, 0xff, 1, [1, 2, 3]),
  "unknown types 10,000 times": repeat(10_000, () => frame(0xfe, 0xff, 0, [])),
  "a reserved bit": frame(type.headers, END_HEADERS, 0x80000001, block(GOOD)),
  "the preface again": preface,
  "HTTP/1.1": Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
  "4 KiB of 0xff": Buffer.alloc(4096, 0xff),
} satisfies Record<string, Buffer>;

/** gRPC messages in one valid stream. */
const messages = Object.fromEntries(
  Object.entries(envelopeBodies).map(([name, body]) => [
    `message: ${name}`,
    Buffer.concat([open(1), frame(type.data, END_STREAM, 1, body)]),
  ]),
);

/** Hostile inputs over cleartext HTTP/2. Errors appear on the connection, not in a response. */
export const HTTP2_INPUTS: readonly HostileInput[] = [
  ...inputs("HTTP/2 request", requests(headerLists), "any"),
  ...inputs("HTTP/2", session(frames), "any"),
  ...inputs("gRPC", session(messages), "any"),
  ...inputs(
    "HTTP/2 preface",
    { alone: preface, "without settings": Buffer.concat([preface, open(1)]) },
    "any",
  ),
  ...inputs(
    "HTTP/2 settings",
    { twice: Buffer.concat([preface, settings, settings, frame(type.settings, 1, 0)]) },
    "any",
  ),
];
