import type { JsonObject } from "../json.ts";

export type HeaderMap = Record<string, string | string[]>;

/** The result of a handler, which the server serializes. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body:
    | { readonly kind: "envelope"; readonly response: unknown; readonly errors?: ErrorItem[] }
    | { readonly kind: "json"; readonly value: unknown }
    | { readonly kind: "text"; readonly text: string; readonly type: string }
    | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly type: string }
    | { readonly kind: "none" };
}

/** An item in the `errors` of an envelope. */
export interface ErrorItem {
  readonly title: string;
  readonly code: number;
  readonly detail?: string;
}

/** Returns the usual response body: `{"meta": {...}, "response": ...}`. */
export function envelope(response: unknown, status = 200, headers: HeaderMap = {}): HttpResponse {
  return { status, headers, body: { kind: "envelope", response } };
}

/** Returns a 204 without a body. */
export function noContent(): HttpResponse {
  return { status: 204, headers: {}, body: { kind: "none" } };
}

/** Returns a JSON document without the envelope. */
export function bareJson(value: unknown, status = 200, headers: HeaderMap = {}): HttpResponse {
  return { status, headers, body: { kind: "json", value } };
}

export function text(value: string, status = 200, type = "text/plain; charset=utf-8"): HttpResponse {
  return { status, headers: {}, body: { kind: "text", text: value, type } };
}

export function html(value: string, status = 200): HttpResponse {
  return text(value, status, "text/html; charset=utf-8");
}

export function bytes(value: Uint8Array, type: string, headers: HeaderMap = {}): HttpResponse {
  return { status: 200, headers, body: { kind: "bytes", bytes: value, type } };
}

export function redirect(location: string, status = 302): HttpResponse {
  return { status, headers: { location }, body: { kind: "none" } };
}

/** An error with its complete response. Handlers throw it, and the server sends the response. */
export class Rejection extends Error {
  readonly response: HttpResponse;

  constructor(response: HttpResponse, message: string) {
    super(message);
    this.name = "Rejection";
    this.response = response;
  }
}

const REASONS: Record<number, string> = {
  200: "OK",
  201: "Created",
  204: "No Content",
  301: "Moved Permanently",
  302: "Found",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Limit Exceeded",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
};

/** Returns `meta.msg`, which is the reason phrase of the status, or `Limit Exceeded` for 429. */
export function reason(status: number): string {
  return REASONS[status] ?? "Unknown";
}

/** Returns an error in the envelope. `response` is `[]`, and `errors` states the cause. */
export function reject(status: number, detail: string, code = 0, headers: HeaderMap = {}): Rejection {
  const errors = [{ title: reason(status), code, detail }];
  return new Rejection({ status, headers, body: { kind: "envelope", response: [], errors } }, detail);
}

/** Returns an error whose `response` is a string and that has no `errors`. */
export function rejectInWords(status: number, words: string): Rejection {
  return new Rejection(envelope(words, status), words);
}

/** Returns an OAuth 2.0 error object (RFC 6749 section 5.2), without the envelope. */
export function rejectToken(status: number, error: string, description: string): Rejection {
  const headers = { "cache-control": "no-store" };
  return new Rejection(bareJson({ error, error_description: description }, status, headers), description);
}

/** Returns an error as one line of text, as the OAuth 1.0a endpoints report errors. */
export function rejectText(status: number, line: string): Rejection {
  return new Rejection(text(`${line}\n`, status), line);
}

/** Returns the complete JSON document of a response, or `undefined` if the response is not JSON. */
export function document(response: HttpResponse, status = response.status): unknown {
  if (response.body.kind === "json") return response.body.value;
  if (response.body.kind !== "envelope") return undefined;
  const whole: JsonObject = { meta: { status, msg: reason(status) }, response: response.body.response };
  if (response.body.errors) whole.errors = response.body.errors;
  return whole;
}
