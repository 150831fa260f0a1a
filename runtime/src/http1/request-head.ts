import type { DispatchOptions } from "../http/requester.ts";

/** A request that this client can write without changes. */
export interface UsualRequest {
  /** The request line and the headers in Latin-1, without the empty line. */
  readonly head: string;
  readonly body: Uint8Array | undefined;
}

/** Methods whose request body has a defined meaning (RFC 9110 section 9.3). */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const WITHOUT_BODY: ReadonlySet<string> = new Set(["GET", "DELETE"]);

/** Matches paths of visible ASCII characters. Paths with other characters need further checks. */
const PATH = /^\/[\x21-\x7e]*$/;
const NAME = /^[a-z0-9-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that concern the connection or the framing of the body. */
const UNUSUAL_NAMES: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Encodes a typical request as HTTP/1.1. Returns undefined for other requests, which may be invalid. */
export function usualRequest(options: DispatchOptions, host: string): UsualRequest | undefined {
  const { method, path, headers, body, bodyTimeout } = options;
  // only bodies that are sent in pieces have a separate body timeout
  if (bodyTimeout !== undefined || !PATH.test(path) || !Array.isArray(headers)) return undefined;
  const bytes = bytesOf(body);
  const takesBody = WITH_BODY.has(method);
  if (bytes === undefined || (!takesBody && (bytes.length > 0 || !WITHOUT_BODY.has(method)))) {
    return undefined;
  }
  const fields = printed(headers);
  if (fields === undefined) return undefined;
  const length = takesBody ? `content-length: ${bytes.length}\r\n` : "";
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${fields}${length}`;
  return { head, body: bytes.length === 0 ? undefined : bytes };
}

const NO_BYTES = new Uint8Array();

/** Returns the bytes of a body, or undefined for a body that is sent in pieces. */
function bytesOf(body: DispatchOptions["body"]): Uint8Array | undefined {
  if (body === null || body === undefined) return NO_BYTES;
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof Uint8Array ? body : undefined;
}

/** Encoded headers by their frozen arrays, which many requests share. */
const PRINTED = new WeakMap<readonly unknown[], string>();

function printed(headers: readonly unknown[]): string | undefined {
  const known = PRINTED.get(headers);
  if (known !== undefined) return known;
  const text = print(headers);
  if (text !== undefined && Object.isFrozen(headers)) PRINTED.set(headers, text);
  return text;
}

function print(headers: readonly unknown[]): string | undefined {
  let text = "";
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at];
    const value = headers[at + 1];
    if (typeof name !== "string" || typeof value !== "string") return undefined;
    if (!NAME.test(name) || UNUSUAL_NAMES.has(name) || !VALUE.test(value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  return text;
}
