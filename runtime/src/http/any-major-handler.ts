import type { ResponseHeaders } from "./exchange.ts";
import type { DispatchController, DispatchHandler } from "./requester.ts";

/**
 * A handler for dispatchers of any major version of undici. Since version 7, dispatchers call the methods
 * `onRequest…` and `onResponse…`. Up to version 6, they call the methods below, with raw headers and without
 * a controller.
 */
export abstract class AnyMajorHandler implements DispatchHandler {
  private readonly legacy = new LegacyController();

  abstract onRequestStart(controller: DispatchController): void;
  abstract onResponseStart(controller: DispatchController, status: number, headers: ResponseHeaders): void;
  abstract onResponseData(controller: DispatchController, chunk: Buffer): void;
  abstract onResponseEnd(): void;
  abstract onResponseError(controller: DispatchController | undefined, error: unknown): void;

  /** Does nothing. Mock dispatchers read a streamed body only if the handler has this method. */
  onBodySent(): void {}

  onConnect(abort: (reason?: Error) => void): void {
    this.legacy.onAbort = abort;
    this.onRequestStart(this.legacy);
  }

  onHeaders(status: number, rawHeaders: readonly Buffer[], resume: () => void): boolean {
    this.legacy.onResume = resume;
    this.onResponseStart(this.legacy, status, headersOf(rawHeaders));
    return !this.legacy.paused;
  }

  onData(chunk: Buffer): boolean {
    this.onResponseData(this.legacy, chunk);
    return !this.legacy.paused;
  }

  onComplete(): void {
    this.onResponseEnd();
  }

  onError(error: Error): void {
    this.onResponseError(this.legacy, error);
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

/** Converts raw headers, in which names and values alternate, to an object. */
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
