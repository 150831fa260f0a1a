import { gzipSync } from "node:zlib";
import type { HostileInput } from "./hostile-input.ts";

const UNARY_PATH = "/echo.v1.EchoService/Echo";
const STREAM_PATH = "/echo.v1.EchoService/Repeat";

function post(path: string, contentType: string, body: string | Uint8Array, headers = ""): Uint8Array {
  const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n${headers}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

function input(name: string, bytes: Uint8Array, expect: HostileInput["expect"] = "error"): HostileInput {
  return { name, parts: [bytes], expect };
}

const jsonBodies: Readonly<Record<string, string>> = {
  "an open brace": "{",
  "a closing brace": "}",
  null: "null",
  true: "true",
  "a number": "1",
  "an array": "[]",
  "a text": '"text"',
  "an open text": '{"text":"',
  "a comma too many": '{"text":"a",}',
  "single quotes": "{'text':'a'}",
  "a comment": '{"text":"a"/* */}',
  NaN: '{"count":NaN}',
  "a leading zero": '{"count":01}',
  hexadecimal: '{"count":0x1}',
  "a key twice": '{"text":"a","text":"b"}',
  "a key in both spellings of nothing": '{"text":"a","TEXT":"b"}',
  "an unknown key": '{"nothing":1}',
  "the key __proto__": '{"__proto__":{"text":"a"}}',
  "the key constructor": '{"constructor":{"prototype":{"x":1}}}',
  "an object for a text": '{"text":{}}',
  "an array for a text": '{"text":["a"]}',
  "a number for a text": '{"text":1}',
  "a text for a number": '{"count":"many"}',
  "a number beyond int32": '{"count":2147483648}',
  "a fraction": '{"count":1.5}',
  "1e400": '{"count":1e400}',
  "a number of 10,000 digits": `{"count":${"9".repeat(10_000)}}`,
  "bytes that are not UTF-8": '{"text":"\xff\xfe"}',
  "a lone surrogate in UTF-8": '{"text":"\xed\xa0\x80"}',
  "a bare control character": '{"text":"\x01"}',
  "an unknown escape": '{"text":"\\x41"}',
  "half an escape": '{"text":"\\u00"}',
  "two documents": '{"text":"a"}{"text":"b"}',
  UTF16: "\xff\xfe{\0}\0",
  "100,000 open braces": '{"a":'.repeat(100_000),
  "100,000 open brackets": "[".repeat(100_000),
  "nesting that is closed": `${'{"text":'.repeat(5000)}1${"}".repeat(5000)}`,
  "a constraint that is broken": '{"count":-1}',
  NUL: "\0",
  HTML: "<html></html>",
  YAML: "text: a",
};

const protoBodies: Readonly<Record<string, string>> = {
  "one byte": "\x0a",
  "a length beyond the body": "\x0a\x7f",
  "a length of 2^32": "\x0a\xff\xff\xff\xff\x0f",
  "a varint without end": "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
  "field 0": "\x00\x01",
  "wire type 6": "\x0e",
  "wire type 7": "\x0f",
  "an open group": "\x0b",
  "a group that nobody opened": "\x0c",
  "10,000 open groups": "\x1b".repeat(10_000),
  "text that is not UTF-8": "\x0a\x02\xff\xfe",
  "half a fixed64": "\x19\x01\x02",
  JSON: '{"text":"a"}',
  "broken constraint": "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
};

const CONTENT_TYPES = [
  "",
  " ",
  ";",
  "/",
  "text/plain",
  "text/html",
  "application/xml",
  "application/octet-stream",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-16",
  "application/jsonx",
  "json",
  "application/*",
  "*/*",
  "application/grpc",
  "application/grpc+xml",
  "application/grpcx",
  "application/grpc-web+xml",
  "application/grpc-web-text",
  "application/connect",
  "application/connect+xml",
  "application/connect+json",
  "application/connect+proto",
  "application/proto; messageType=x",
  `application/${"x".repeat(5000)}`,
  "application/json, application/json",
];

/** Encodes an envelope: flags, length, and content. */
function envelope(flags: number, length: number, content: string | Uint8Array): Uint8Array {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags);
  prefix.writeUInt32BE(length >>> 0, 1);
  return Buffer.concat([prefix, typeof content === "string" ? Buffer.from(content, "latin1") : content]);
}

const MESSAGE = '{"text":"a","count":1}';
const framed = (flags: number) => envelope(flags, MESSAGE.length, MESSAGE);

/** Bodies of calls with enveloped messages. */
export const envelopeBodies: Readonly<Record<string, Uint8Array>> = {
  nothing: Buffer.alloc(0),
  "one byte": Buffer.from([0]),
  "four bytes": Buffer.from([0, 0, 0, 0]),
  "an empty message that is no JSON": envelope(0, 0, ""),
  "a length beyond the body": envelope(0, 1000, MESSAGE),
  "a length of 2^32-1": envelope(0, 0xffffffff, MESSAGE),
  "a length beyond readMaxBytes": envelope(0, 5_000_000, MESSAGE),
  "a length below the message": envelope(0, 3, MESSAGE),
  "compressed without an encoding": framed(1),
  "compressed twice over": envelope(1, 30, gzipSync(MESSAGE)),
  "an unknown flag": framed(0x40),
  "all flags": framed(0xff),
  "an end from the client": framed(2),
  "trailers from the client": framed(0x80),
  "an end and nothing": envelope(2, 0, ""),
  "two messages": Buffer.concat([framed(0), framed(0)]),
  "a message and half a prefix": Buffer.concat([framed(0), Buffer.from([0, 0])]),
  "an HTML page": Buffer.from("<html><body>hello</body></html>"),
  "text that is no JSON": envelope(0, 3, "abc"),
};

const queries: Readonly<Record<string, string>> = {
  nothing: "",
  "no message": "connect=v1&encoding=json",
  "no encoding": "connect=v1&message=%7B%7D",
  "an unknown encoding": "connect=v1&encoding=xml&message=%7B%7D",
  "base64 that is none": "connect=v1&encoding=json&base64=1&message=***",
  "base64 of garbage": "connect=v1&encoding=proto&base64=1&message=_____w",
  "gzip that is none": "connect=v1&encoding=json&compression=gzip&base64=1&message=e30",
  "an unknown compression": "connect=v1&encoding=json&compression=rot13&message=%7B%7D",
  "percent and nothing": "connect=v1&encoding=json&message=%",
  "percent and letters": "connect=v1&encoding=json&message=%zz",
  "a message twice": "connect=v1&encoding=json&message=%7B&message=%7D",
  "a message of half a character": "connect=v1&encoding=json&message=%ff",
};

const badHeaders: Readonly<Record<string, string>> = {
  "a binary header that is not base64": "X-Data-Bin: ***\r\n",
  "status details from a client": "Grpc-Status-Details-Bin: !!!\r\n",
  "a status from a client": "Grpc-Status: 0\r\nGrpc-Message: %zz\r\n",
};

/**
 * JSON inputs that need not be rejected: unknown keys are skipped, as in every Connect server, and invalid
 * UTF-8 may be accepted or rejected.
 */
const oddJson: Readonly<Record<string, HostileInput["expect"]>> = {
  "a key in both spellings of nothing": "ok",
  "an unknown key": "ok",
  "the key __proto__": "ok",
  "the key constructor": "ok",
  "bytes that are not UTF-8": "any",
  "a lone surrogate in UTF-8": "any",
};

/** Inputs that may be accepted, because flags that the protocols do not define are skipped. */
const ODD_FLAGS = ["an unknown flag", "an end from the client", "trailers from the client"];

/** Hostile inputs for Connect and gRPC-Web over HTTP/1.1. */
export const RPC_INPUTS: readonly HostileInput[] = [
  ...Object.entries(jsonBodies).map(([name, body]) =>
    input(`Connect JSON: ${name}`, post(UNARY_PATH, "application/json", body), oddJson[name]),
  ),
  ...Object.entries(protoBodies).map(([name, body]) =>
    input(`Connect proto: ${name}`, post(UNARY_PATH, "application/proto", body)),
  ),
  ...CONTENT_TYPES.map((type) =>
    input(
      `content type: ${JSON.stringify(type).slice(0, 60)}`,
      post(UNARY_PATH, type, "\x01\x02\x03"),
      "error",
    ),
  ),
  ...["application/connect+json", "application/grpc-web+json", "application/grpc+json"].flatMap((type) =>
    Object.entries(envelopeBodies).map(([name, body]) =>
      input(`${type}: ${name}`, post(STREAM_PATH, type, body), ODD_FLAGS.includes(name) ? "any" : "error"),
    ),
  ),
  ...Object.entries(queries).map(([name, query]) =>
    input(
      `GET: ${name}`,
      Buffer.from(`GET ${UNARY_PATH}?${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    ),
  ),
  ...Object.entries(badHeaders).map(([name, headers]) =>
    input(`header: ${name}`, post(UNARY_PATH, "application/json", "{}", headers), "any"),
  ),
];
