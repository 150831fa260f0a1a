import { brotliCompressSync, gzipSync } from "node:zlib";
import {
  body,
  envelope,
  type FastPathCase,
  type Headers,
  isGrpc,
  PATH,
  post,
  print,
  STREAM_PATH,
  type Way,
  way,
} from "./fast-path-cases.ts";

/** The paths of a unary method with side effects and of a stream without. */
const TELL_PATH = "/echo.v1.EchoService/Tell";
const LIST_PATH = "/echo.v1.EchoService/List";

const PATHS = [PATH, TELL_PATH, STREAM_PATH, LIST_PATH] as const;
const VERSIONS = ["1.1", "2"] as const;

/** Valid and invalid spellings of content types. */
const TYPES = [
  "application/json",
  "application/json ",
  "application/json;",
  "application/json; charset=UTF-8",
  "application/json;charset=utf8",
  "application/json;  charset=utf-8",
  'application/json; charset="utf-8"',
  "application/json; charset=utf-8; x=y",
  "APPLICATION/JSON; CHARSET=UTF-8",
  "application/jsonp",
  "application/proto",
  "Application/Proto",
  "application/proto;",
  "application/protobuf",
  "application/connect",
  "application/connectjson",
  "application/connect+json; charset=utf-8",
  "application/connect+json;charset=utf8",
  "Application/Connect+Proto",
  "application/connect+proto; charset=utf-8",
  "application/connect+xml",
  "application/grpc",
  "Application/GRPC",
  "application/grpc;",
  "application/grpc+",
  "application/grpc+proto",
  "APPLICATION/GRPC+PROTO",
  "application/grpc+proto; charset=utf-8",
  "application/grpc+json; charset=utf-8",
  "application/grpc+json;charset=utf8",
  "application/grpc+thrift",
  "application/grpcfoo",
  "application/grpc-web",
  "Application/grpc-web+Proto",
  "application/grpc-web+json;charset=utf-8",
  "application/grpc-web+thrift",
  "application/grpc-web-text",
  "application/grpc-web-text+proto",
  "application/grpc-web-text+json",
  "application/grpc-webfoo",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "*/*",
  "json",
] as const;

const VERBS = ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"] as const;

const UNARY_WAYS: readonly Way[] = [
  way("application/proto", "1.1"),
  way("application/json", "2"),
  way("application/grpc", "2"),
  way("application/grpc+json", "1.1"),
  way("application/grpc-web+proto", "1.1"),
  way("application/grpc-web+json", "2"),
];

const STREAM_WAYS: readonly Way[] = [
  way("application/connect+proto", "1.1", STREAM_PATH),
  way("application/connect+json", "2", STREAM_PATH),
  way("application/grpc", "2", STREAM_PATH),
  way("application/grpc+json", "1.1", STREAM_PATH),
  way("application/grpc-web+json", "1.1", STREAM_PATH),
];

const WAYS = [...UNARY_WAYS, ...STREAM_WAYS];

/** Returns the names that a protocol uses for the compression headers and the timeout header. */
function names(each: Way): Readonly<Record<"used" | "accepted" | "timeout", string>> {
  if (isGrpc(each)) {
    return { used: "grpc-encoding", accepted: "grpc-accept-encoding", timeout: "grpc-timeout" };
  }
  const prefix = each.path === STREAM_PATH ? "connect-" : "";
  return {
    used: `${prefix}content-encoding`,
    accepted: `${prefix}accept-encoding`,
    timeout: "connect-timeout-ms",
  };
}

function named(name: string, { call }: FastPathCase, more: Partial<FastPathCase["call"]>): FastPathCase {
  return { name, call: { ...call, ...more } };
}

/** Combines each content type with each kind of method. */
function typeCases(): FastPathCase[] {
  return PATHS.flatMap((path) =>
    TYPES.flatMap((type) =>
      VERSIONS.map((version) => {
        const each = way(type, version, path);
        const isJson = /json/i.test(type);
        const message = print({ ...each, codec: isJson ? "json" : "proto" }, { text: "a", count: 2 });
        return named(
          `${path} as ${JSON.stringify(type)} over ${version}`,
          post(each, "", body(each, message)),
          {},
        );
      }),
    ),
  );
}

/**
 * Combines each HTTP method with each kind of RPC method, with a content type of each protocol and without
 * one.
 */
function verbCases(): FastPathCase[] {
  const types = [
    "application/json",
    "application/connect+proto",
    "application/grpc",
    "application/grpc-web-text",
    "text/plain",
    "",
  ];
  return PATHS.flatMap((path) =>
    VERBS.flatMap((method) =>
      types.flatMap((type) =>
        VERSIONS.map((version) => ({
          name: `${method} ${path} as ${JSON.stringify(type)} over ${version}`,
          call: {
            version,
            method,
            path,
            headers: { "x-request-id": "one", ...(type && { "content-type": type }) },
          },
        })),
      ),
    ),
  );
}

function lacking(each: Way, name: string): FastPathCase {
  const { call } = post(each, "", body(each, print(each, { text: "a", count: 2 })));
  const { [name]: _, ...headers } = call.headers;
  return { name: `${each.name}: without ${name}`, call: { ...call, headers } };
}

const LONG = "x".repeat(3000);

/**
 * Lists values, odd spellings and repetitions of the headers that name the used and the accepted
 * compressions.
 */
function encodingCases(each: Way): FastPathCase[] {
  const { used, accepted } = names(each);
  const plain = print(each, { text: "y".repeat(2000), count: 2 });
  const gzipped = body(each, gzipSync(plain), 1);
  const usedValues: ReadonlyArray<readonly [Headers[string], Uint8Array]> = [
    ["x-gzip", gzipped],
    ["Gzip", gzipped],
    ["gzip;q=1", gzipped],
    ["gzip,identity", gzipped],
    ["identity,gzip", gzipped],
    ["*", gzipped],
    [["gzip", "gzip"], gzipped],
    [["identity", "gzip"], gzipped],
    ["Identity", body(each, plain)],
    ["gzip", body(each, plain)],
    ["br", body(each, brotliCompressSync(plain), 1)],
    ["deflate", gzipped],
    [LONG, body(each, plain)],
    ["a\u00fcb", body(each, plain)],
  ];
  const acceptedValues: readonly Headers[string][] = [
    " gzip ",
    "gzip,br",
    ["br", "gzip"],
    "GZIP",
    "x-gzip, deflate",
    ", ,br",
    "identity, gzip",
    "gzip;q=0, br",
    "unknown",
  ];
  return [
    ...usedValues
      .filter(([value]) => isSendable(each, value))
      .flatMap(([value, bytes]) =>
        [undefined, "gzip", "unknown"].map((accept) =>
          post(each, `uses ${JSON.stringify(value)}, accepts ${accept}`, bytes, {
            [used]: value,
            ...(accept !== undefined && { [accepted]: accept }),
          }),
        ),
      ),
    ...acceptedValues.map((value) =>
      post(each, `accepts ${JSON.stringify(value)}`, body(each, plain), { [accepted]: value }),
    ),
  ];
}

/**
 * Returns whether Node's client can send a header value; over HTTP/2 it cannot send content-encoding twice.
 */
function isSendable(each: Way, value: Headers[string] | undefined): boolean {
  return typeof value === "string" || each.version === "1.1" || each.enveloped;
}

/** Lists odd spellings and repetitions of timeouts, and timeout headers of other protocols. */
function timeoutCases(each: Way): FastPathCase[] {
  const { timeout } = names(each);
  const plain = body(each, print(each, { text: "a", count: 2 }));
  const values: readonly Headers[string][] = [
    "+10",
    "0x10",
    "1e3",
    "1,000",
    "10000m ",
    "10000M",
    "10000s",
    "20000",
    "20000m",
    "S",
    "1 S",
    "100000000S",
    "99999999S",
    "00000000000",
    ["20000", "30000"],
    ["20S", "30S"],
    LONG,
    "\u00fc",
  ];
  const other = timeout === "grpc-timeout" ? { "connect-timeout-ms": "x" } : { "grpc-timeout": "x" };
  return [
    ...values.map((value) => post(each, `timeout ${JSON.stringify(value)}`, plain, { [timeout]: value })),
    post(each, "a long timeout, accepts gzip", plain, { [timeout]: LONG, [names(each).accepted]: "gzip" }),
    post(each, "a timeout of another protocol", plain, other),
  ];
}

/** Combines faults, to test which one the error names. */
function combinedCases(each: Way): FastPathCase[] {
  const { used, timeout } = names(each);
  const plain = print(each, { text: "a", count: 2 });
  const bad: Readonly<Record<string, Headers>> = {
    "a bad timeout": { [timeout]: "x" },
    "a bad compression": { [used]: "zstd9" },
    "a bad type": { "content-type": "text/plain" },
    "another version": { "connect-protocol-version": "2" },
    "a bad traceparent": { traceparent: "00-0-0-0" },
    "an expectation": { expect: "200-ok" },
    "no time": { [timeout]: isGrpc(each) ? "0m" : "0" },
  };
  const bodies: Readonly<Record<string, Uint8Array | undefined>> = {
    "a good body": body(each, plain),
    "no body": undefined,
    "an empty body": new Uint8Array(),
    "a bad body": body(each, Buffer.from("\xff{", "latin1")),
    "a message too large": body(each, Buffer.alloc(70_000)),
    "a bad compressed message": body(each, plain, 1),
  };
  const heads = Object.entries(bad);
  const pairs = [
    ["a usual head", {}] as const,
    ...heads,
    ...heads.flatMap(([name, one], at) =>
      heads.slice(at + 1).map(([other, two]) => [`${name}, ${other}`, { ...one, ...two }] as const),
    ),
  ];
  return pairs.flatMap(([name, headers]) =>
    Object.entries(bodies).map(([what, bytes]) => post(each, `${name}, ${what}`, bytes, headers)),
  );
}

/** Lists envelope flags, with and without a compression in the request head. */
function flagCases(each: Way): FastPathCase[] {
  if (!each.enveloped) return [];
  const { used } = names(each);
  const plain = print(each, { text: "a", count: 1 });
  return [0, 1, 2, 3, 4, 0x40, 0x80, 0x81, 0xff].flatMap((flags) =>
    [undefined, "identity", "gzip"].map((encoding) => {
      const bytes = (flags & 1) === 1 && encoding === "gzip" ? gzipSync(plain) : plain;
      const headers = encoding === undefined ? {} : { [used]: encoding };
      return post(each, `flags ${flags}, ${encoding}`, envelope(flags, bytes), headers);
    }),
  );
}

/** Cuts a body after each of its first bytes. */
function cutCases(each: Way): FastPathCase[] {
  const whole = body(each, print(each, { text: "abc", count: 1 }));
  return Array.from({ length: Math.min(whole.length, 9) }, (_, length) =>
    post(each, `the first ${length} bytes`, whole.subarray(0, length)),
  );
}

/** Lists GET queries with unusual parameters and spellings. */
function queryCases(): FastPathCase[] {
  const json = encodeURIComponent('{"text":"\u00fc+ /"}');
  const text = (value: string) => Buffer.from(value, "latin1").toString("base64");
  const proto = Buffer.from("0a0361fb62", "hex").toString("base64");
  const zipped = encodeURIComponent(gzipSync('{"text":"zipped"}').toString("base64"));
  const queries = [
    `encoding=json&base64=1&message=${text('{"text":"a"}')}`,
    `encoding=json&base64=1&message=${text('{"text":"ab"}')}`,
    `encoding=json&base64=1&message=${text('{"text":"ab"}').replaceAll("=", "")}`,
    `encoding=json&base64=1&message=${text('{"text":"ab"}')}=`,
    `encoding=json&base64=1&message=${text('{"text":"\\u00ff\\u00fe?>"}')}`,
    `encoding=json&base64=1&message=%20${text("{}")}`,
    `encoding=json&base64=1&message=${text("{}")}%0A`,
    `encoding=json&base64=1&message=e`,
    `encoding=json&base64=1&message=e30!`,
    `encoding=json&base64=true&message=${json}`,
    `encoding=json&base64=&message=${json}`,
    `encoding=json&base64=1&base64=0&message=${text("{}")}`,
    `encoding=proto&base64=1&message=${encodeURIComponent(proto)}`,
    `encoding=proto&base64=1&message=${proto}`,
    `encoding=JSON&message=${json}`,
    `encoding=json%20&message=${json}`,
    `encoding=&message=${json}`,
    `Encoding=json&message=${json}`,
    `encoding=json&message=${json}&message=%7B%7D`,
    `encoding=json&message=${json}&more=1`,
    `encoding=json;message=${json}`,
    `encoding=json&message={%22text%22:%22raw%22}`,
    `encoding=json&message=%FF`,
    `encoding=json&message=%7B%22text%22:%22+%22%7D`,
    "encoding=proto",
    "encoding=proto&message=",
    "encoding=proto&base64=1",
    `encoding=json&compression=GZIP&base64=1&message=${zipped}`,
    `encoding=json&compression=gzip&compression=br&base64=1&message=${zipped}`,
    "encoding=json&compression=gzip&message=",
    `connect=&encoding=json&message=${json}`,
    `connect=V1&encoding=json&message=${json}`,
    `connect=v1&connect=v2&encoding=json&message=${json}`,
    `encoding=json&message=${json}?more`,
    `encoding=xml&compression=unknown&message=${json}`,
    `encoding=json&compression=unknown&message=${json}`,
    "#",
    `#encoding=json&message=${json}`,
    `encoding=json&message=${encodeURIComponent(JSON.stringify({ text: "z".repeat(4000) }))}`,
  ];
  const heads: ReadonlyArray<readonly [string, Headers]> = [
    ["plain", {}],
    ["an empty type", { "content-type": "" }],
    ["a type of JSON", { "content-type": "application/json" }],
    ["a type of protobuf", { "content-type": "application/proto" }],
    ["a bad timeout", { "connect-timeout-ms": "x" }],
    ["an encoding", { "content-encoding": "unknown" }],
  ];
  const types = ["application/connect+json", "application/grpc", "application/grpc-web", "text/plain"];
  return [
    ...[PATH, TELL_PATH].flatMap((path) =>
      queries.flatMap((query, index) =>
        heads.map(([name, headers]) => ({
          name: `GET ${path}, ${name}: ${query.slice(0, 100)} (${index})`,
          call: {
            version: VERSIONS[index % 2] ?? "2",
            method: "GET",
            path: `${path}?${query}`,
            headers: { "x-request-id": "one", ...headers },
          },
        })),
      ),
    ),
    ...types.map((type) => ({
      name: `GET with a query as ${type}`,
      call: {
        version: "2" as const,
        method: "GET",
        path: `${PATH}?encoding=json&message=${json}`,
        headers: { "x-request-id": "one", "content-type": type },
      },
    })),
    ...PATHS.flatMap((path) =>
      VERBS.slice(1, 4).map((method) => ({
        name: `${method} ${path} with a query`,
        call: {
          version: "1.1" as const,
          method,
          path: `${path}?encoding=json&message=${json}`,
          headers: { "x-request-id": "one" },
        },
      })),
    ),
    ...PATHS.map((path) => ({
      name: `POST ${path} with a query and a fragment`,
      call: {
        version: "1.1" as const,
        method: "POST",
        path: `${path}?encoding=xml#more`,
        headers: { "x-request-id": "one", "content-type": "application/json" },
        body: Buffer.from("{}"),
      },
    })),
  ];
}

/** Request heads that clients rarely send, for unary methods and server streams. */
export const UNUSUAL_HEADS: readonly FastPathCase[] = [
  ...typeCases(),
  ...verbCases(),
  ...queryCases(),
  ...WAYS.flatMap((each) => [
    lacking(each, "content-type"),
    lacking(each, "te"),
    ...encodingCases(each),
    ...timeoutCases(each),
    ...combinedCases(each),
    ...flagCases(each),
    ...cutCases(each),
    ...["1", "2", "", "v1"].map((version) =>
      post(each, `protocol version ${version}`, body(each, print(each, { count: 1 })), {
        "connect-protocol-version": version,
      }),
    ),
    post(each, "two protocol versions", body(each, print(each, { count: 1 })), {
      "connect-protocol-version": ["1", "1"],
    }),
  ]),
];
