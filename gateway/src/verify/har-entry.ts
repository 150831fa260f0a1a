import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { Exchange, Parameter, RecordedRequest, Skipped } from "./exchange.ts";

type Json = { readonly [key: string]: unknown };

/** The maximum size of a decompressed body. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Converts an entry of a HAR file (HAR 1.2, section `entries`) to an exchange. */
export function exchangeOf(text: string): Exchange | Skipped {
  const entry = parsed(text);
  const request = objectAt(entry, "request");
  const response = objectAt(entry, "response");
  const url = URL.parse(stringAt(request, "url"));
  if (url === null || request === undefined || response === undefined) return "not an HTTP entry";
  const { status } = response;
  if (/^wss?:$/.test(url.protocol) || status === 101 || entry?._webSocketMessages !== undefined) {
    return "websocket";
  }
  // browsers write the status 0 for a request that was blocked or canceled
  if (typeof status !== "number" || status < 100) return "no response";
  const headers = headersOf(response);
  const body = bodyOf(response, headers);
  if (body === undefined) return "no body";
  const method = entry?._method;
  return {
    ...(typeof method === "string" && { method }),
    hasPlaceholders: entry?._placeholders === true,
    request: requestOf(request, url),
    response: { status, headers, body },
  };
}

function requestOf(request: Json, url: URL): RecordedRequest {
  const post = objectAt(request, "postData");
  const type = stringAt(post, "mimeType").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const text = stringAt(post, "text");
  const isForm = type === "application/x-www-form-urlencoded";
  const named = parametersIn(post?.params);
  return {
    verb: stringAt(request, "method").toUpperCase(),
    url,
    query: pairsOf(url.searchParams),
    form: named.length > 0 ? named : isForm ? pairsOf(new URLSearchParams(text)) : [],
    json: /[/+]json$/.test(type) ? membersOf(text) : undefined,
  };
}

function parametersIn(params: unknown): RecordedRequest["form"] {
  if (!Array.isArray(params)) return [];
  return params.filter(isObject).flatMap(({ name, value, fileName }) => {
    if (typeof name !== "string") return [];
    return [typeof value === "string" && fileName === undefined ? { name, value } : { name }];
  });
}

function pairsOf(params: URLSearchParams): Parameter[] {
  return Array.from(params, ([name, value]) => ({ name, value }));
}

function membersOf(text: string): RecordedRequest["json"] {
  const value = parsed(text);
  return value && new Map(Object.entries(value));
}

/** Returns the headers by names in lower case, without the charset of a body that the recorder decoded. */
function headersOf(response: Json): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  const listed = Array.isArray(response.headers) ? response.headers.filter(isObject) : [];
  for (const { name, value } of listed) {
    if (typeof name !== "string" || typeof value !== "string") continue;
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  const content = objectAt(response, "content");
  const type = headers["content-type"] ?? stringAt(content, "mimeType");
  const shown = isBase64(content) ? type : type.replace(/;\s*charset=[^;]*/i, "");
  if (type !== "") headers["content-type"] = shown;
  return headers;
}

/** Returns the decompressed body; undefined if the recording lacks the body of a response that has one. */
function bodyOf(response: Json, headers: Readonly<Record<string, string>>): Uint8Array | undefined {
  const content = objectAt(response, "content");
  const text = content?.text;
  if (typeof text !== "string") {
    const size = Math.max(numberAt(content, "size"), numberAt(response, "bodySize"));
    return size > 0 ? undefined : new Uint8Array();
  }
  // recorders decode a body that they write as text
  if (!isBase64(content)) return Buffer.from(text);
  return decompressed(Buffer.from(text, "base64"), headers["content-encoding"] ?? "");
}

/** Decompresses a body, unless the recorder has done so. */
function decompressed(bytes: Buffer, coding: string): Uint8Array {
  const names = coding.toLowerCase().split(",");
  let body: Buffer = bytes;
  for (const name of names.toReversed()) {
    const decode = DECODERS[name.trim()];
    if (decode === undefined) continue;
    try {
      body = decode(body, { maxOutputLength: MAX_BODY_BYTES });
    } catch {
      return body;
    }
  }
  return body;
}

function isBase64(content: Json | undefined): boolean {
  return stringAt(content, "encoding").toLowerCase() === "base64";
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectAt(value: Json | undefined, key: string): Json | undefined {
  const inner = value?.[key];
  return isObject(inner) ? inner : undefined;
}

function stringAt(value: Json | undefined, key: string): string {
  const inner = value?.[key];
  return typeof inner === "string" ? inner : "";
}

function numberAt(value: Json | undefined, key: string): number {
  const inner = value?.[key];
  return typeof inner === "number" ? inner : 0;
}
