import { isUtf8 } from "node:buffer";
import type { Clock } from "connect-rest-codec/internal";
import type { RestRequest } from "../adapter/rest-request.ts";
import { redactBeginning, redactText } from "../errors/redact.ts";
import type { ResponseHeaders } from "../http/exchange.ts";
import type { DispatchController, DispatchHandler, DispatchOptions } from "../http/requester.ts";
import type { Secret } from "../text/secret.ts";
import type { ExplainedBody, ExplainedRequest, ExplainedResponse } from "./explained.ts";
import { shownHeaders, withoutSecretParts } from "./shown-headers.ts";

/** The maximum size of the part of a body that an explanation shows, in bytes. */
const MAX_SHOWN_BYTES = 64 * 1024;

/** The properties of a request that are not part of its HTTP message. */
export interface Origin {
  readonly request: Pick<RestRequest, "headers">;
  readonly isRetry?: boolean | undefined;
  /** The target of a redirect, which may contain credentials of the upstream. */
  readonly hop?: object | undefined;
}

/** A request that is sent, and the handler of its response. */
export interface TracedParts {
  readonly sent: DispatchOptions;
  /** Receives the response. */
  readonly handler: DispatchHandler;
  readonly origin: Origin;
  readonly credentials: string;
}

/** Records a request as it is sent, and its response, which it passes on. */
export class TracedRequest implements DispatchHandler {
  protected readonly parts: TracedParts;
  private readonly clock: Clock;
  private readonly startedAt: number;
  protected head: { readonly status: number; readonly headers: ResponseHeaders } | undefined;
  private headMs = 0;
  protected bytes = 0;
  private durationMs: number | undefined;

  constructor(parts: TracedParts, clock: Clock) {
    this.parts = parts;
    this.clock = clock;
    this.startedAt = clock.monotonic();
  }

  onRequestStart(controller: DispatchController, context: unknown): void {
    this.parts.handler.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: DispatchController,
    status: number,
    headers: ResponseHeaders,
    statusMessage?: string,
  ): void {
    if (status >= 200) {
      this.head = { status, headers };
      this.headMs = this.clock.monotonic() - this.startedAt;
    }
    this.parts.handler.onResponseStart?.(controller, status, headers, statusMessage);
  }

  onResponseData(controller: DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    this.parts.handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: DispatchController, trailers: ResponseHeaders): void {
    this.durationMs = this.clock.monotonic() - this.startedAt;
    this.parts.handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: DispatchController, error: Error): void {
    this.parts.handler.onResponseError?.(controller, error);
  }

  /** Returns the request and its response so far, without secrets. */
  explained(secrets: readonly Secret[]): ExplainedRequest {
    const { sent, origin, credentials } = this.parts;
    const declared = new Set(origin.request.headers.map(([name]) => name));
    return {
      verb: sent.method,
      url: redactText(this.url(), secrets),
      headers: shownHeaders(pairsOf(sent.headers as readonly string[]), declared, secrets),
      body: bodyOf(sent.body, secrets),
      credentials,
      isRetry: origin.isRetry === true,
      response: this.response(secrets),
    };
  }

  private url(): string {
    const { sent, origin } = this.parts;
    const url = `${sent.origin}${sent.path}`;
    return origin.hop === undefined ? url : withoutSecretParts(url);
  }

  private response(secrets: readonly Secret[]): ExplainedResponse | undefined {
    const { head, bytes, headMs, durationMs } = this;
    if (head === undefined) return undefined;
    const pairs = Object.entries(head.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((each): [string, string] => [name, each]),
    );
    const headers = shownHeaders(pairs, new Set(), secrets);
    return { status: head.status, headers, bytes, headMs, durationMs };
  }
}

/** Returns the names and values in a flat list of headers. */
function* pairsOf(headers: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    yield [(headers[index] ?? "").toLowerCase(), headers[index + 1] ?? ""];
  }
}

function bodyOf(body: DispatchOptions["body"], secrets: readonly Secret[]): ExplainedBody | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    return { bytes: undefined, text: undefined, isCut: false };
  }
  const bytes = Buffer.from(body);
  const isCut = bytes.length > MAX_SHOWN_BYTES;
  const searched = beginningOf(bytes, 2 * MAX_SHOWN_BYTES);
  if (!isUtf8(searched)) return { bytes: bytes.length, text: undefined, isCut };
  const { length } = beginningOf(bytes, MAX_SHOWN_BYTES).toString();
  const text = redactBeginning(searched.toString(), secrets, length);
  return { bytes: bytes.length, text: isCut ? `${text}…` : text, isCut };
}

/** Returns the beginning of a body, without an incomplete character at its end. */
function beginningOf(bytes: Buffer, max: number): Buffer {
  if (bytes.length <= max) return bytes;
  let end = max;
  while (end > max - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
