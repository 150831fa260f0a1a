import { type HostileInput, inputs } from "./hostile-input.ts";

const ECHO_PATH = "/echo.v1.EchoService/Echo";
const BODY = '{"text":"a"}';
const JSON_TYPE = "Content-Type: application/json\r\n";

/** Returns a complete call that is valid except for the given headers. */
function call(
  headers: string,
  content = BODY,
  length: string | number = Buffer.byteLength(content, "latin1"),
): string {
  return `POST ${ECHO_PATH} HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}Content-Length: ${length}\r\n${headers}\r\n${content}`;
}

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

const requestLines = {
  "no bytes but line ends": "\r\n\r\n\r\n\r\n",
  "one word": "GET\r\n\r\n",
  "two words": "GET /\r\n\r\n",
  "four words": "GET / HTTP/1.1 now\r\nHost: a\r\n\r\n",
  "version 9.9": "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
  "version 0.9": "GET / HTTP/0.9\r\nHost: a\r\n\r\n",
  "version in lower case": "GET / http/1.1\r\nHost: a\r\n\r\n",
  "a method in lower case": "get / HTTP/1.1\r\nHost: a\r\n\r\n",
  "an unknown method": "FROB / HTTP/1.1\r\nHost: a\r\n\r\n",
  "a method of 10 KiB": `${"A".repeat(10_240)} / HTTP/1.1\r\nHost: a\r\n\r\n`,
  CONNECT: "CONNECT b.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
  TRACE: "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
  "PRI over HTTP/1.1": "PRI * HTTP/1.1\r\nHost: a\r\n\r\n",
  "the first half of the HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\n",
  "a preface that ends wrong": "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
  "tabs in place of spaces": "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n",
  "NUL in the target": get("/\0"),
  "a control character in the target": get("/\x01"),
  "bytes above ASCII in the target": get("/\xff\xfe"),
  "a space in the target": get("/a b"),
  "a relative target": get("healthz"),
  "an empty absolute target": get("http://"),
  "a bracket as absolute target": get("http://["),
  "a user in an absolute target": get("http://u:p@a/nowhere"),
  "a script as target": get("javascript:alert(1)"),
  "a file as target": get("file:///etc/passwd"),
  "a path that climbs": get("/../../etc/passwd"),
  "a path that climbs, encoded": get("/%2e%2e/%2e%2e/etc/passwd"),
  "percent and nothing": get("/%"),
  "an encoded NUL": get("/%00"),
  "a double slash": get("//echo.v1.EchoService/Echo"),
  "a backslash": get("/\\echo.v1.EchoService\\Echo"),
  "a target of 8193 bytes": get(`/${"x".repeat(8192)}`),
  "a target of 100 KiB": get(`/${"x".repeat(102_400)}`),
  "a query of 8 KiB": get(`/?${"x".repeat(8192)}`),
  "a thousand parameters": get(`${ECHO_PATH}?${"a=b&".repeat(1000)}`),
  "__proto__ as path": get("/__proto__"),
  "constructor as path": get("/constructor/constructor"),
  "hasOwnProperty as method": get("/echo.v1.EchoService/hasOwnProperty"),
  "a service in other letters": get("/ECHO.V1.ECHOSERVICE/ECHO"),
  "a slash behind the method": get(`${ECHO_PATH}/`),
  SSH: "SSH-2.0-OpenSSH_9.2\r\n",
  "a TLS hello": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  SMTP: "EHLO a.example\r\n",
  "a PROXY line": "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "a PROXY v2 header": "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c",
  "1000 NULs": "\0".repeat(1000),
  "0xff 1000 times": "\xff".repeat(1000),
};

const HOSTS = [
  "[",
  "]",
  "[]",
  "[:",
  "[::",
  "[::1",
  "::1]",
  "[::1]]",
  "[::1]x",
  "[::1]:",
  "[::1]:x",
  "[::g]",
  "[fe80::1%eth0]",
  "%",
  "%%",
  "%00",
  "a%b",
  "%61",
  "x:99999",
  "x:-1",
  "x:1:2",
  "x:y",
  ":80",
  ":",
  "x:080000",
  "user@x",
  "u:p@x",
  "a b",
  "a\tb",
  "a/b",
  "a?b",
  "a#b",
  "a\\b",
  "a<b>",
  'a"b',
  "a'b",
  "a{b}",
  "a|b",
  "a^b",
  "a`b",
  "\xe4",
  "\xff",
  "xn--",
  "a,b",
  "*",
  "1.2.3.4.5",
  "999.1.1.1",
  "0x7f.1",
  "a".repeat(256),
  "a".repeat(5000),
  "http://a",
  "a;b",
  "a=b",
  "(a)",
  "a!b",
  "a$b",
  "a&b",
];

/** Hosts in the list above that look odd but are valid according to RFC 3986. */
const ODD_HOSTS = new Set(["[::1]:", "xn--", "0x7f.1"]);

const headerLines = {
  "a header without a colon": call("X\r\n"),
  "a space before the colon": call("X : 1\r\n"),
  "a header without a name": call(": 1\r\n"),
  "a folded line": call("X: 1\r\n 2\r\n"),
  "a folded first line": `POST ${ECHO_PATH} HTTP/1.1\r\n Host: a\r\n\r\n`,
  "NUL in a value": call("X: a\0b\r\n"),
  "a bare CR in a value": call("X: a\rb\r\n"),
  "DEL in a name": call("X\x7f: 1\r\n"),
  "bytes above ASCII in a name": call("X\xff: 1\r\n"),
  "parentheses in a name": call("X(1): 1\r\n"),
  "101 headers": call("X: 1\r\n".repeat(101)),
  "10,000 headers": call("X: 1\r\n".repeat(10_000)),
  "a value of 20 KiB": call(`X: ${"x".repeat(20_480)}\r\n`),
  "a name of 20 KiB": call(`${"x".repeat(20_480)}: 1\r\n`),
  "a value of 1 MiB": call(`X: ${"x".repeat(1_048_576)}\r\n`),
  "two lengths": call("Content-Length: 3\r\n"),
  "two equal lengths": call(`Content-Length: ${BODY.length}\r\n`),
  "a list of lengths": call("", BODY, "12, 12"),
  "a negative length": call("", BODY, -1),
  "a length with a sign": call("", BODY, "+12"),
  "a length with an exponent": call("", BODY, "1e1"),
  "a length in hexadecimal": call("", BODY, "0xC"),
  "a length of 2^64": call("", BODY, "18446744073709551616"),
  "a length of 100 digits": call("", BODY, "9".repeat(100)),
  "an empty length": call("", BODY, ""),
  "a length and chunks": call("Transfer-Encoding: chunked\r\n"),
  "chunks and identity": call("Transfer-Encoding: chunked, identity\r\n"),
  "chunks with a prefix": call("Transfer-Encoding: xchunked\r\n"),
  "chunks behind a tab": call("Transfer-Encoding:\tchunked\r\n"),
  "another coding": call("Transfer-Encoding: gzip\r\n"),
  "a coding beneath chunks": call("Transfer-Encoding: gzip, chunked\r\n"),
  "chunks twice": call("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
  "an expectation that nobody knows": call("Expect: cake\r\n"),
  "a length beyond the body": call("", BODY, 100),
  "a length below the body": call("", `${BODY}GARBAGE\r\n\r\n`, BODY.length + 3),
  "a deadline of letters": call("Connect-Timeout-Ms: soon\r\n"),
  "a negative deadline": call("Connect-Timeout-Ms: -1\r\n"),
  "a deadline of 11 digits": call("Connect-Timeout-Ms: 99999999999\r\n"),
  "a deadline with a fraction": call("Connect-Timeout-Ms: 1.5\r\n"),
  "an encoding that nobody knows": call("Content-Encoding: rot13\r\n"),
  "gzip that is none": call("Content-Encoding: gzip\r\n"),
  "brotli that is none": call("Content-Encoding: br\r\n"),
  "two encodings": call("Content-Encoding: gzip, br\r\n"),
};

const chunk = (chunks: string) =>
  `POST ${ECHO_PATH} HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${chunks}`;

const chunks = {
  "a size of 17 digits": chunk(`FFFFFFFFFFFFFFFFF\r\n${BODY}\r\n0\r\n\r\n`),
  "a size of 2^32": chunk(`100000000\r\n${BODY}`),
  "a negative size": chunk(`-1\r\n${BODY}\r\n0\r\n\r\n`),
  "a size with 0x": chunk(`0xC\r\n${BODY}\r\n0\r\n\r\n`),
  "a size with a sign": chunk(`+C\r\n${BODY}\r\n0\r\n\r\n`),
  "a size that is none": chunk(`zz\r\n${BODY}\r\n0\r\n\r\n`),
  "an empty size": chunk(`\r\n${BODY}\r\n0\r\n\r\n`),
  "a size below the chunk": chunk(`3\r\n${BODY}\r\n0\r\n\r\n`),
  "a size beyond the chunk": chunk(`FF\r\n${BODY}\r\n0\r\n\r\n`),
  "no last chunk": chunk(`C\r\n${BODY}\r\n`),
  "a bare LF behind the size": chunk(`C\n${BODY}\n0\n\n`),
  "an extension of 100 KiB": chunk(`C;${"x".repeat(102_400)}\r\n${BODY}\r\n0\r\n\r\n`),
  "trailers of 100 KiB": chunk(`C\r\n${BODY}\r\n0\r\n${"X: 1\r\n".repeat(17_000)}\r\n`),
  "a malformed trailer": chunk(`C\r\n${BODY}\r\n0\r\nX\r\n\r\n`),
  "a chunk for each byte, malformed at the end": chunk(
    `${[...BODY].map((c) => `1\r\n${c}\r\n`).join("")}1\r\n`,
  ),
};

const served = {
  "a good call": call("Connection: close\r\n"),
  "a host in brackets": call("Connection: close\r\n").replace("Host: a", "Host: [::1]:80"),
  "an absolute target": call("Connection: close\r\n").replace(ECHO_PATH, `http://a${ECHO_PATH}`),
  "headers in odd letters": call("CoNnEcTiOn: ClOsE\r\n"),
  "100-continue": call("Expect: 100-continue\r\nConnection: close\r\n"),
  "an upgrade to h2c, which is not taken": call(
    "Connection: Upgrade, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
  ),
  "a deadline that is long": call("Connect-Timeout-Ms: 9999999999\r\nConnection: close\r\n"),
  "an accepted encoding that is odd": call("Accept-Encoding: ;q=,,*;q=2\r\nConnection: close\r\n"),
  "a request id that is harmful": call("X-Request-Id: a b<script>\r\nConnection: close\r\n"),
  "a forged origin": call("X-Forwarded-For: 1.1.1.1\r\nForwarded: for=;;;\r\nConnection: close\r\n"),
  "a trace that is none": call("Traceparent: 00-zz\r\nTracestate: ====\r\nConnection: close\r\n"),
  "one byte a chunk": chunk(`${[...BODY].map((c) => `1\r\n${c}\r\n`).join("")}0\r\n\r\n`).replace(
    "Host: a",
    "Host: a\r\nConnection: close",
  ),
};

/** Returns prefixes of a valid call, after which the client disconnects or sends nothing more. */
function partial(): HostileInput[] {
  const whole = call("Connection: close\r\n");
  const cuts = [
    1,
    4,
    5,
    20,
    31,
    40,
    42,
    46,
    60,
    90,
    whole.length - BODY.length,
    whole.length - 5,
    whole.length - 1,
  ];
  return cuts.flatMap((cut) => [
    { name: `silence after ${cut} bytes`, parts: [whole.slice(0, cut)], expect: "error" as const },
    { name: `an end after ${cut} bytes`, parts: [whole.slice(0, cut)], end: true, expect: "error" as const },
  ]);
}

/** Hostile inputs over HTTP/1.1. */
export const HTTP1_INPUTS: readonly HostileInput[] = [
  ...inputs("request line", requestLines),
  ...HOSTS.map((host) => ({
    name: `host: ${host.length > 20 ? `${host.length} letters` : JSON.stringify(host)}`,
    parts: [Buffer.from(call("Connection: close\r\n").replace("Host: a", `Host: ${host}`), "latin1")],
    expect: ODD_HOSTS.has(host) ? ("ok" as const) : ("error" as const),
  })),
  ...inputs("header", headerLines),
  ...inputs("chunks", chunks),
  ...inputs("served", served, "ok"),
  ...partial(),
  ...inputs(
    "pipeline",
    {
      "200 calls that never end": call("")
        .replaceAll('a"}', 'never"}')
        .replace(/Content-Length: \d+/, "Content-Length: 16")
        .repeat(200),
      "another protocol that looks like HTTP": "GET / RTSP/1.0\r\nHost: a\r\n\r\n",
      "version 9 of Connect": call("Connect-Protocol-Version: 9\r\nConnection: close\r\n"),
      "a good call and garbage": [call(""), "GARBAGE\r\n\r\n"],
    },
    "any",
  ),
];
