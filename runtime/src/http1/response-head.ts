import type { ResponseHeaders } from "../http/exchange.ts";

/** The framing of a body (RFC 9112 section 6.3): its length in bytes, or chunks. */
export type Framing = number | "chunked";

/** The head of a typical response. */
export interface ResponseHead {
  readonly status: number;
  /** The headers. Names are in lower case. */
  readonly headers: ResponseHeaders;
  readonly framing: Framing;
  /** Whether the connection may be reused. */
  readonly keepAlive: boolean;
  /** The size of the head in bytes, including the empty line at the end. */
  readonly bytes: number;
}

/**
 * The reason why there is no head. `partial`: the head is incomplete. `unusual`: a complete HTTP/1.1 parser
 * must read the response.
 */
export type NoHead = "partial" | "unusual";

const START = Buffer.from("HTTP/1.1 ");
const END = Buffer.from("\r\n\r\n");
const [TAB, LF, CR, SPACE, COLON] = [9, 10, 13, 32, 58];

/** The characters of tokens (RFC 9110 section 5.6.2) have the value 1. */
const TOKEN = new Uint8Array(256);
for (const each of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  TOKEN[each.charCodeAt(0)] = 1;
}

/** The characters of header values (RFC 9110 section 5.5) have the value 1. */
const VALUE = new Uint8Array(256).map((_, code) => (code === TAB || (code >= SPACE && code !== 127) ? 1 : 0));

/** Headers that affect the connection and that this parser does not support. */
const UNUSUAL_NAMES: ReadonlySet<string> = new Set(["proxy-connection", "upgrade", "__proto__"]);

/** Matches valid body lengths: without a sign, and exact as a JavaScript number. */
const LENGTH = /^\d{1,15}$/;

/**
 * Reads the head of a typical response: HTTP/1.1, a final status, lines in the form that RFC 9112 requires,
 * and a body with unambiguous framing. All other heads are `unusual`, even if they are valid but rare.
 *
 * @param maxBytes the maximum size of a typical head
 */
export function readHead(bytes: Buffer, maxBytes: number): ResponseHead | NoHead {
  if (!startsLike(bytes)) return "unusual";
  const end = bytes.indexOf(END);
  if (end < 0) return bytes.length > maxBytes || !beginsWell(bytes) ? "unusual" : "partial";
  if (end > maxBytes) return "unusual";
  const status = readStatus(bytes);
  const lines = status < 200 ? -1 : valueEnd(bytes, START.length + 4);
  if (lines < 0) return "unusual";
  const headers = readFields(bytes, lines + 2, end + 2);
  return headers === undefined ? "unusual" : headOf(status, headers, end + END.length);
}

/** Reports whether the available bytes are the beginning of a typical response. */
function startsLike(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, START.length);
  for (let at = 0; at < length; at++) if (bytes[at] !== START[at]) return false;
  return true;
}

/**
 * Reports whether a partial head has no error so far. Waiting for the end of an invalid head is pointless.
 */
function beginsWell(bytes: Buffer): boolean {
  const lines = bytes.lastIndexOf("\r\n");
  if (lines >= 0) {
    const status = readStatus(bytes);
    const first = status < 200 ? -1 : valueEnd(bytes, START.length + 4);
    if (first < 0 || readFields(bytes, first + 2, lines + 2) === undefined) return false;
  }
  const from = lines < 0 ? 0 : lines + 2;
  let at = from;
  while (VALUE[bytes[at] ?? 0] === 1) at++;
  const isFolded = lines >= 0 && (bytes[from] === SPACE || bytes[from] === TAB);
  return !isFolded && (at === bytes.length || (bytes[at] === CR && at === bytes.length - 1));
}

/**
 * Returns the status, or -1 if the status line is unusual. A space must follow the status, even if there is
 * no reason phrase.
 */
function readStatus(bytes: Buffer): number {
  if (bytes[START.length + 3] !== SPACE) return -1;
  let status = 0;
  for (let at = START.length; at < START.length + 3; at++) {
    const digit = (bytes[at] ?? 0) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    status = status * 10 + digit;
  }
  return status < 600 ? status : -1;
}

/**
 * Returns the position of the line break that ends the value beginning at `from`, or -1 if an invalid
 * character precedes it.
 */
function valueEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (VALUE[bytes[at] ?? 0] === 1) at++;
  return bytes[at] === CR && bytes[at + 1] === LF ? at : -1;
}

/**
 * Parses the header fields (RFC 9112 section 5) in complete lines.
 *
 * @returns undefined if a line is malformed
 */
export function readFields(
  bytes: Buffer,
  from: number,
  to: number,
): Record<string, string | string[]> | undefined {
  const headers: Record<string, string | string[]> = {};
  for (let at = from; at < to; ) {
    let colon = at;
    while (TOKEN[bytes[colon] ?? 0] === 1) colon++;
    if (colon === at || bytes[colon] !== COLON) return undefined;
    const name = bytes.toString("latin1", at, colon).toLowerCase();
    let begin = colon + 1;
    while (bytes[begin] === SPACE || bytes[begin] === TAB) begin++;
    const end = valueEnd(bytes, begin);
    if (end < 0 || UNUSUAL_NAMES.has(name)) return undefined;
    // keeps trailing whitespace, as undici does
    add(headers, name, bytes.toString("latin1", begin, end));
    at = end + 2;
  }
  return headers;
}

function add(headers: Record<string, string | string[]>, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined || !Object.hasOwn(headers, name)) {
    headers[name] = value;
  } else if (typeof before === "string") {
    headers[name] = [before, value];
  } else {
    before.push(value);
  }
}

function headOf(status: number, headers: ResponseHeaders, bytes: number): ResponseHead | "unusual" {
  const framing = framingOf(status, headers["content-length"], headers["transfer-encoding"]);
  const keepAlive = keepsAlive(headers.connection);
  if (framing === undefined || keepAlive === undefined) return "unusual";
  return { status, headers, framing, keepAlive, bytes };
}

/**
 * Returns the framing of the body. Returns undefined if parsers could disagree about the framing, or if
 * closing the connection ends the body.
 */
function framingOf(
  status: number,
  length: string | string[] | undefined,
  encoding: string | string[] | undefined,
): Framing | undefined {
  if (status === 204 || status === 304) {
    return encoding === undefined && (length === undefined || length === "0") ? 0 : undefined;
  }
  if (encoding !== undefined) {
    return length === undefined && typeof encoding === "string" && encoding.toLowerCase() === "chunked"
      ? "chunked"
      : undefined;
  }
  return typeof length === "string" && LENGTH.test(length) ? Number(length) : undefined;
}

/** Parses a value of `Connection`. Returns undefined for a value other than `keep-alive` and `close`. */
function keepsAlive(connection: string | string[] | undefined): boolean | undefined {
  if (connection === undefined || connection === "keep-alive") return true;
  if (connection === "close" || typeof connection !== "string") {
    return connection === "close" ? false : undefined;
  }
  const option = connection.toLowerCase();
  return option === "keep-alive" ? true : option === "close" ? false : undefined;
}
