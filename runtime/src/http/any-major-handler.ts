import type { ResponseHeaders } from "./exchange.ts";
import type { DispatchController, DispatchHandler } from "./requester.ts";

/** The methods of a handler that are always there. */
export type WholeHandler = Required<
  Pick<
    DispatchHandler,
    "onRequestStart" | "onResponseStart" | "onResponseData" | "onResponseEnd" | "onResponseError"
  >
>;

/**
 * A handler for a dispatcher of any major version of undici: since version 7 a dispatcher calls the methods `onRequest…`
 * and `onResponse…`, up to version 6 those below, with raw headers and without a controller.
 */
export class AnyMajorHandler implements WholeHandler {
  private readonly target: WholeHandler;
  private readonly legacy = new LegacyController();

  constructor(target: WholeHandler) {
    this.target = target;
  }

  onRequestStart(controller: DispatchController, context: unknown): void {
    this.target.onRequestStart(controller, context);
  }

  onResponseStart(controller: DispatchController, status: number, headers: Record<string, string>): void {
    this.target.onResponseStart(controller, status, headers);
  }

  onResponseData(controller: DispatchController, chunk: Buffer): void {
    this.target.onResponseData(controller, chunk);
  }

  onResponseEnd(controller: DispatchController, trailers: Record<string, string>): void {
    this.target.onResponseEnd(controller, trailers);
  }

  onResponseError(controller: DispatchController, error: Error): void {
    this.target.onResponseError(controller, error);
  }

  /** Nothing happens here; but mocks read a body that is a stream only for a handler which has it. */
  onBodySent(): void {}

  onConnect(abort: (reason?: Error) => void, context: unknown): void {
    this.legacy.onAbort = abort;
    this.target.onRequestStart(this.legacy, context);
  }

  onHeaders(status: number, rawHeaders: readonly Buffer[], resume: () => void): boolean {
    this.legacy.onResume = resume;
    this.target.onResponseStart(this.legacy, status, headersOf(rawHeaders) as Record<string, string>);
    return !this.legacy.paused;
  }

  onData(chunk: Buffer): boolean {
    this.target.onResponseData(this.legacy, chunk);
    return !this.legacy.paused;
  }

  onComplete(): void {
    this.target.onResponseEnd(this.legacy, {});
  }

  onError(error: Error): void {
    this.target.onResponseError(this.legacy, error);
  }
}

class LegacyController implements DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  onAbort: (reason?: Error) => void = () => undefined;
  onResume: () => void = () => undefined;

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
    this.onAbort(reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.onResume();
  }
}

/** Names and values that alternate, as bytes. */
function headersOf(raw: readonly Buffer[]): ResponseHeaders {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    const value = Buffer.from(raw[at + 1] ?? "").toString("latin1");
    const before = headers[name];
    headers[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return headers;
}
