import type { Clock } from "connect-rest-codec/internal";
import { stringifyJson } from "connect-rest-codec/internal";
import type { RestBody, RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { Authorization } from "../credentials/authorize.ts";
import { CALLER, type DispatchOptions } from "../http/requester.ts";
import { encodeEnd, encodeMultipart, encodeUntil, multipartType } from "../request/multipart.ts";
import type { UpstreamSettings } from "./options.ts";

/** A body that is streamed, or whose last part is streamed. */
export interface BodyStream {
  /** The Content-Type of the streamed bytes. */
  readonly contentType: string;
  /** The name of the streamed part. Undefined if the stream is the whole body. */
  readonly part?: string | undefined;
  readonly filename?: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The parts of an outgoing request. */
export interface OutgoingParts {
  /** The origin to which the request is sent. */
  readonly origin: string;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  readonly stream?: BodyStream | undefined;
  /** The path as it is sent: the prefix of the base address, and the path of the request. */
  readonly path: string;
  readonly authorization: Authorization;
  /** The caller. Callers share connections fairly. Default: there is only one caller. */
  readonly caller?: string | undefined;
}

interface EncodedBody {
  readonly contentType?: string;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  /**
   * Whether the Content-Type contains the boundary of this body, so that no other Content-Type may replace
   * it.
   */
  readonly bound?: boolean;
}

/** Encodes a request with its credentials as HTTP. */
export function outgoing(parts: OutgoingParts, settings: UpstreamSettings, clock: Clock): DispatchOptions {
  const { origin, rules, request, stream, path, authorization, caller } = parts;
  const query = [request.queryString, authorization.queryString].filter((text) => text !== "").join("&");
  const encoded =
    stream === undefined ? encodeBody(request.body, clock) : encodeStream(request, stream, clock);
  return {
    origin,
    method: request.verb,
    // permits retries by undici
    idempotent: rules.idempotent,
    path: query === "" ? path : `${path}?${query}`,
    headers: [...headersOf(rules, request, encoded, settings), ...authorization.headers.flat()],
    // undici accepts any iterable, although its types allow fewer
    body: encoded.body as Uint8Array | null,
    [CALLER]: caller,
  };
}

/**
 * Reports whether a request has neither headers nor a body. All such requests of a method have the same
 * headers.
 */
export function isPlain({ headers, body }: RestRequest): boolean {
  return headers.length === 0 && body === undefined;
}

/** Encodes a request like `outgoing`, with the headers of earlier requests. */
export function plainOutgoing(
  { origin, rules, request, path, authorization, caller }: OutgoingParts,
  headers: readonly string[],
): DispatchOptions {
  const { queryString: own } = request;
  const { queryString: added } = authorization;
  const query = own === "" || added === "" ? own + added : `${own}&${added}`;
  return {
    origin,
    method: request.verb,
    idempotent: rules.idempotent,
    path: query === "" ? path : `${path}?${query}`,
    headers: headers as string[],
    body: null,
    [CALLER]: caller,
  };
}

/**
 * Returns the headers. Headers of the request take precedence over defaults, but not over the fixed headers
 * of the upstream. A request without a body has no Content-Type, even if a rule of the service sets one (RFC
 * 9110 section 8.3).
 */
function headersOf(
  { responseEncoding }: MethodRules,
  request: RestRequest,
  { contentType, body, bound = false }: EncodedBody,
  { userAgent, acceptEncoding }: UpstreamSettings,
): string[] {
  const ours = ["user-agent", "accept-encoding", ...(bound || body === null ? ["content-type"] : [])];
  const named = request.headers.filter(([name]) => !ours.includes(name));
  const has = (header: string) => named.some(([name]) => name === header);
  const encoding = acceptEncoding === undefined ? [] : ["accept-encoding", acceptEncoding];
  const headers = ["user-agent", userAgent, ...encoding, ...named.flat()];
  if (!has("accept")) headers.push("accept", responseEncoding === "json" ? "application/json" : "*/*");
  if (contentType !== undefined && !has("content-type")) headers.push("content-type", contentType);
  return headers;
}

function encodeBody(body: RestBody | undefined, clock: Clock): EncodedBody {
  switch (body?.kind) {
    case undefined:
      return { body: null };
    case "json":
      return { contentType: "application/json", body: stringifyJson(body.value) };
    case "form":
      return { contentType: "application/x-www-form-urlencoded", body: body.text };
    case "bytes":
      return { contentType: body.contentType, body: body.bytes };
    case "multipart": {
      const boundary = newBoundary(clock);
      const bytes = encodeMultipart(body.parts, boundary);
      return { contentType: multipartType(boundary), body: bytes, bound: true };
    }
  }
}

function encodeStream({ body }: RestRequest, stream: BodyStream, clock: Clock): EncodedBody {
  const { part: name, filename, contentType, chunks } = stream;
  if (name === undefined) return { contentType, body: chunks };
  const boundary = newBoundary(clock);
  const before = body?.kind === "multipart" ? body.parts : [];
  const head = encodeUntil(before, { name, filename, contentType }, boundary);
  return {
    contentType: multipartType(boundary),
    body: framed(head, chunks, encodeEnd(boundary)),
    bound: true,
  };
}

async function* framed(head: Uint8Array, chunks: AsyncIterable<Uint8Array>, end: Uint8Array) {
  yield head;
  yield* chunks;
  yield end;
}

/** Returns a boundary that cannot be guessed, so that no content can contain it (RFC 2046 section 5.1.1). */
function newBoundary(clock: Clock): string {
  return `----connect-rest-${clock.randomHex(16)}`;
}
