import { brotliCompressSync, gzipSync } from "node:zlib";
import { create, type MessageInitShape, toBinary, toJsonString } from "@bufbuild/protobuf";
import { EchoRequestSchema } from "../gen/echo/v1/echo_pb.ts";
import type { RawCall } from "./raw-call.ts";

/** A call that both paths have to serve in the same way. */
export interface FastPathCase {
  readonly name: string;
  readonly call: RawCall;
}

type Echo = MessageInitShape<typeof EchoRequestSchema>;
export type Headers = RawCall["headers"];

export const PATH = "/echo.v1.EchoService/Echo";
export const STREAM_PATH = "/echo.v1.EchoService/Repeat";

/** A kind of request: protocol, codec and HTTP version. */
export interface Way {
  readonly name: string;
  readonly path: string;
  readonly version: RawCall["version"];
  readonly type: string;
  readonly codec: "proto" | "json";
  readonly enveloped: boolean;
}

export function way(type: string, version: RawCall["version"], path = PATH): Way {
  const codec = type.endsWith("json") ? "json" : "proto";
  const enveloped = /grpc|connect/.test(type);
  return { name: `${type} over ${version}`, path, version, type, codec, enveloped };
}

const WAYS: readonly Way[] = [
  way("application/proto", "1.1"),
  way("application/proto", "2"),
  way("application/json", "1.1"),
  way("application/json", "2"),
  way("application/grpc", "2"),
  way("application/grpc+json", "2"),
  way("application/grpc-web+proto", "1.1"),
  way("application/grpc-web+json", "2"),
];

const STREAM_WAYS: readonly Way[] = [
  way("application/connect+proto", "1.1", STREAM_PATH),
  way("application/connect+proto", "2", STREAM_PATH),
  way("application/connect+json", "1.1", STREAM_PATH),
  way("application/connect+json", "2", STREAM_PATH),
  way("application/grpc", "2", STREAM_PATH),
  way("application/grpc+json", "2", STREAM_PATH),
  way("application/grpc-web+proto", "1.1", STREAM_PATH),
  way("application/grpc-web+json", "2", STREAM_PATH),
];

/** The name suffix of cases whose deadline passes while the upstream is working. */
export const LATE = "an upstream that is late";

/** Request messages that tell the upstream how to respond, and messages that never reach it. */
const messages: Readonly<Record<string, Echo>> = {
  "a text": { text: 'Grüße 🌳 "\\\n\u0001\u2028' },
  "an empty message": {},
  "a message against its constraints": { count: -1, inner: { count: 100_001 } },
  "a message nested too deep": nested(30),
  "a long answer": { text: "long 3000" },
  "an answer beyond one slice": { text: "long 200000" },
  "an answer beyond the limit": { text: "long 400000" },
  "headers of the upstream": { text: "header x-ratelimit-remaining" },
  "headers that stay behind": { text: "header set-cookie" },
  "an answer that is no JSON": { text: "broken json" },
  "a status 400": { text: "status 400" },
  "a status 404": { text: "status 404" },
  "a status 409": { text: "status 409" },
  "a status 429": { text: "status 429" },
  "a status 500": { text: "status 500" },
  "a status 503": { text: "status 503" },
};

/** Request messages that tell the upstream how to respond with a stream. */
const streamMessages: Readonly<Record<string, Echo>> = {
  ...Object.fromEntries(Object.entries(messages).map(([name, echo]) => [name, { count: 3, ...echo }])),
  "no messages": { count: 0 },
  "many messages": { text: "many", count: 500 },
  "many messages that are compressed": { text: `many ${"x".repeat(2000)}`, count: 50 },
  "headers and no messages": { text: "header x-ratelimit-remaining", count: 0 },
  "an error as a record": { text: "fails now", count: 3 },
  "a body that is cut": { text: "cut off", count: 3 },
};

function nested(depth: number): Echo {
  let message: Echo = {};
  for (let i = 0; i < depth; i++) message = { inner: message };
  return message;
}

export function print({ codec }: Way, message: Echo): Uint8Array {
  const whole = create(EchoRequestSchema, message);
  return codec === "proto"
    ? toBinary(EchoRequestSchema, whole)
    : Buffer.from(toJsonString(EchoRequestSchema, whole));
}

export function envelope(flags: number, bytes: Uint8Array, length = bytes.length): Uint8Array {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, bytes]);
}

export function body(way: Way, bytes: Uint8Array, flags = 0): Uint8Array {
  return way.enveloped ? envelope(flags, bytes) : bytes;
}

export function post(
  way: Way,
  name: string,
  bytes: Uint8Array | undefined,
  headers: Headers = {},
): FastPathCase {
  const all = { "content-type": way.type, "x-request-id": "one", te: "trailers", ...headers };
  return {
    name: `${way.name}: ${name}`,
    call: { version: way.version, method: "POST", path: way.path, headers: all, body: bytes },
  };
}

export function isGrpc({ type }: Way): boolean {
  return type.includes("grpc");
}

function messageCases(way: Way): FastPathCase[] {
  return Object.entries(way.path === PATH ? messages : streamMessages).map(([name, message]) =>
    post(way, name, body(way, print(way, message))),
  );
}

function compressionCases(way: Way): FastPathCase[] {
  const plain = print(way, { text: "x".repeat(2000), count: 2 });
  const prefix = isGrpc(way) ? "grpc-" : way.path === STREAM_PATH ? "connect-" : "";
  const content = prefix === "grpc-" ? "" : "content-";
  const [used, accepted] = [`${prefix}${content}encoding`, `${prefix}accept-encoding`];
  const bomb = print(way, { text: "x".repeat(100_000) });
  const requests: ReadonlyArray<readonly [string | undefined, Uint8Array, number]> = [
    [undefined, plain, 0],
    ["identity", plain, 0],
    ["gzip", gzipSync(plain), 1],
    ["br", brotliCompressSync(plain), 1],
    ["gzip", plain, 1],
    ["br", plain, 1],
    ["gzip", plain, 0],
    ["gzip", new Uint8Array(), 1],
    ["gzip", gzipSync(bomb), 1],
    ["br", brotliCompressSync(bomb), 1],
    ["gzip", gzipSync(plain).subarray(0, 20), 1],
    ["identity", gzipSync(plain), 1],
    [undefined, gzipSync(plain), 1],
    ["zstd", plain, 1],
    ["GZIP", gzipSync(plain), 1],
    ["gzip, br", plain, 1],
    ["", plain, 0],
  ];
  const accepts = [undefined, "", "gzip", "br", "br, gzip", "zstd,gzip", "gzip;q=1", "*", "identity"];
  return requests.flatMap(([encoding, bytes, flags], index) =>
    (index < 3 ? accepts : accepts.slice(0, 3)).map((accept) =>
      post(way, `packed ${encoding} (${index}), accepts ${accept}`, body(way, bytes, flags), {
        ...(encoding === undefined ? {} : { [used]: encoding }),
        ...(accept === undefined ? {} : { [accepted]: accept }),
      }),
    ),
  );
}

function timeoutCases(way: Way): FastPathCase[] {
  const header = isGrpc(way) ? "grpc-timeout" : "connect-timeout-ms";
  const good = isGrpc(way)
    ? ["0S", "0n", "10S", "99999999H", "10000000u", "5M", "1000000000n", "20000m"]
    : ["0", "10000", "9999999999", "0010000"];
  const bad = ["", "-1", "1.5", "1s", "99999999999", "999999999m", "x", "10 S"];
  const timeouts = [...good, ...bad];
  const plain = body(way, print(way, { text: "in time", count: 2 }));
  return [
    ...timeouts.map((text) => post(way, `timeout ${JSON.stringify(text)}`, plain, { [header]: text })),
    post(way, LATE, body(way, print(way, { text: "never ever", count: 2 })), {
      [header]: isGrpc(way) ? "50m" : "50",
    }),
  ];
}

function bodyCases(way: Way): FastPathCase[] {
  const plain = print(way, { text: "a" });
  const other = print(way, { text: "b" });
  const limit = 64 * 1024;
  const bodies: Record<string, Uint8Array> = {
    "no body": new Uint8Array(),
    garbage: body(way, Buffer.from("fffefd0a", "hex")),
    "a body that ends early": body(way, plain.subarray(0, -1)),
    "a message at the limit": body(way, print(way, { text: "x".repeat(limit - 20) })),
    "a message beyond the limit": body(way, print(way, { text: "x".repeat(limit + 1) })),
    "unknown fields": body(
      way,
      way.codec === "proto" ? unknown(plain) : Buffer.from('{"text":"a","more":1}'),
    ),
    "a wrong type": body(way, way.codec === "proto" ? Buffer.from("0801", "hex") : Buffer.from('{"text":1}')),
    "a key twice": body(way, Buffer.from('{"text":"a","text":"b"}')),
    "text that is not UTF-8": body(way, Buffer.from('{"text":"\xff"}', "latin1")),
    "JSON that is no object": body(way, Buffer.from("[1]")),
  };
  return Object.entries(way.enveloped ? { ...bodies, ...envelopeBodies(plain, other) } : bodies).map(
    ([name, bytes]) => post(way, name, bytes),
  );
}

function unknown(plain: Uint8Array): Uint8Array {
  return Buffer.concat([plain, Buffer.from("f83f01", "hex")]);
}

function envelopeBodies(plain: Uint8Array, other: Uint8Array): Record<string, Uint8Array> {
  const [one, two] = [envelope(0, plain), envelope(0, other)];
  return {
    "three bytes": Buffer.alloc(3),
    "an envelope that ends early": envelope(0, plain, plain.length + 7),
    "an envelope of 4 GiB": envelope(0, plain, 0xffff_ffff),
    "two messages": Buffer.concat([one, two]),
    "three messages": Buffer.concat([one, two, two]),
    "a message and three bytes": Buffer.concat([one, Buffer.alloc(3)]),
    "a message and half of one": Buffer.concat([one, envelope(0, other, 100)]),
    "a message and one beyond the limit": Buffer.concat([one, envelope(0, other, 0x7fff_ffff)]),
    "flags 2": envelope(2, plain),
    "flags 0x40": envelope(0x40, plain),
    "flags 0x80": envelope(0x80, plain),
    "trailers before the message": Buffer.concat([envelope(0x80, Buffer.from("a: b\r\n")), one]),
  };
}

function headCases(): FastPathCase[] {
  const [plainWay] = WAYS;
  if (plainWay === undefined) return [];
  const types = [
    "application/json; charset=utf-8",
    "application/json;charset=utf-8",
    "application/json; charset=utf8",
    "application/json; charset=latin1",
    "Application/JSON",
    "application/proto; charset=utf-8",
    "application/connect+proto",
    "application/connect+json",
    "application/grpc+foo",
    "application/grpc;x=y",
    "application/grpc-web",
    "application/grpc-web+foo",
    "application/grpc-web-text",
    "application/grpc-web-text+proto",
    "application/x-protobuf",
    "text/plain",
    "",
  ];
  const versions = ["1.1", "2"] as const;
  const forType = (type: string) =>
    versions.map((version) =>
      post(way(type, version), "any head", body(way(type, version), Buffer.from("{}"))),
    );
  const verbs = ["PUT", "DELETE", "PATCH", "OPTIONS", "GET", "HEAD"].flatMap((method) =>
    WAYS.map((each) => {
      const { name, call } = post(each, `verb ${method}`, undefined);
      return { name, call: { ...call, method } };
    }),
  );
  const one: FastPathCase["call"] = {
    version: "1.1",
    method: "POST",
    path: PATH,
    headers: { "x-request-id": "one" },
    body: Buffer.from("{}"),
  };
  return [
    ...types.flatMap(forType),
    ...verbs,
    { name: "no content type", call: one },
    {
      name: "gRPC over HTTP/1.1",
      call: post(way("application/grpc", "1.1"), "", envelope(0, Buffer.alloc(0))).call,
    },
    { name: "a query behind a POST", call: { ...one, path: `${PATH}?encoding=json&message=%7B%7D` } },
    ...["1", "2", ""].map((version) =>
      post(plainWay, `connect-protocol-version ${version}`, Buffer.alloc(0), {
        "connect-protocol-version": version,
      }),
    ),
    ...WAYS.map((each) =>
      post(each, "metadata of the caller", body(each, print(each, { text: "a" })), {
        "x-custom": "a, b",
        "x-custom-bin": "AAEC",
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        origin: "https://page.example",
      }),
    ),
  ];
}

function getCases(): FastPathCase[] {
  const json = encodeURIComponent('{"text":"Grüße"}');
  const proto = toBinary(EchoRequestSchema, create(EchoRequestSchema, { text: "Grüße" }));
  const base64 = Buffer.from(proto).toString("base64url");
  const zipped = gzipSync(Buffer.from('{"text":"zipped"}')).toString("base64url");
  const long = encodeURIComponent('{"text":"long 3000"}');
  const queries = [
    `connect=v1&encoding=json&message=${json}`,
    `encoding=json&message=${json}`,
    `message=${json}&encoding=json`,
    `encoding=json&message=${json}#fragment`,
    `connect=v2&encoding=json&message=${json}`,
    `connect=v1&encoding=proto&base64=1&message=${base64}`,
    `connect=v1&encoding=proto&base64=1&message=${encodeURIComponent(Buffer.from(proto).toString("base64"))}`,
    `connect=v1&encoding=proto&base64=0&message=${base64}`,
    "connect=v1&encoding=proto&base64=1&message=%%%",
    "connect=v1&encoding=proto&base64=1&message=!",
    "connect=v1&encoding=proto&message=%0A%01a",
    "connect=v1&encoding=json",
    "connect=v1&encoding=json&message=",
    "connect=v1&encoding=json&message=%7B",
    "connect=v1&encoding=xml&message=%7B%7D",
    "connect=v1&message=%7B%7D",
    "",
    `connect=v1&encoding=json&base64=1&compression=gzip&message=${zipped}`,
    `connect=v1&encoding=json&compression=gzip&message=${json}`,
    `connect=v1&encoding=json&compression=identity&message=${json}`,
    `connect=v1&encoding=json&compression=zstd&message=${json}`,
    `connect=v1&encoding=json&compression=&message=${json}`,
    `connect=v1&encoding=json&encoding=proto&message=${json}`,
    `connect=v1&encoding=json&message=${long}`,
    `connect=v1&encoding=json&message=${encodeURIComponent('{"text":"status 404"}')}`,
    `connect=v1&encoding=json&message=${encodeURIComponent('{"count":-1}')}`,
  ];
  const headers: ReadonlyArray<readonly [string, Headers]> = [
    ["plain", {}],
    ["accepts gzip", { "accept-encoding": "gzip, deflate, br" }],
    ["a content type", { "content-type": "application/json" }],
    ["a timeout", { "connect-timeout-ms": "10000" }],
    ["a bad timeout", { "connect-timeout-ms": "x" }],
  ];
  return queries.flatMap((query) =>
    headers.flatMap(([name, extra]) =>
      (["1.1", "2"] as const).map((version) => ({
        name: `GET over ${version}, ${name}: ${query}`,
        call: {
          version,
          method: "GET",
          path: `${PATH}?${query}`,
          headers: { "x-request-id": "one", ...extra },
        },
      })),
    ),
  );
}

/** Unary calls of every protocol, both usual and unusual. */
export const FAST_PATH_CASES: readonly FastPathCase[] = [
  ...WAYS.flatMap((each) => [
    ...messageCases(each),
    ...compressionCases(each),
    ...timeoutCases(each),
    ...bodyCases(each),
  ]),
  ...headCases(),
  ...getCases(),
];

/** Calls of a server stream in every protocol, both usual and unusual. */
export const STREAM_CASES: readonly FastPathCase[] = STREAM_WAYS.flatMap((each) => [
  ...messageCases(each),
  ...compressionCases(each),
  ...timeoutCases(each),
  ...bodyCases(each),
  post(each, "metadata of the caller", body(each, print(each, { text: "a", count: 2 })), {
    "x-custom": "a, b",
    "x-custom-bin": "AAEC",
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    origin: "https://page.example",
  }),
]);
