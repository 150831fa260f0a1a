import { ReadableStream } from "node:stream/web";
import type { FetchFunction, FetchInit, FetchResponse } from "./fetch-function.ts";
import type { DispatchController, DispatchHandler, DispatchOptions, Requester } from "./requester.ts";

/** Thrown if a `fetch` violates its contract. `message` describes the violation. */
export class FetchMisbehaved extends Error {}

/** Thrown for a request that no `fetch` can send. */
class NotForFetch extends Error {
  readonly code = "UND_ERR_NOT_SUPPORTED";
}

/** Returns a dispatcher that calls a `fetch` once for every request. */
export function fetchDispatcher(fetch: FetchFunction): Requester {
  return {
    dispatch(options: DispatchOptions, handler: DispatchHandler): boolean {
      const controller = new FetchController();
      handler.onRequestStart?.(controller, {});
      void run(fetch, options, handler, controller);
      return true;
    },
  };
}

async function run(
  fetch: FetchFunction,
  options: DispatchOptions,
  handler: DispatchHandler,
  controller: FetchController,
): Promise<void> {
  try {
    const init = initOf(options, controller.signal);
    const response = checked(await fetch(String(options.origin) + options.path, init));
    controller.body = response.body?.[Symbol.asyncIterator]();
    controller.throwIfAborted();
    handler.onResponseStart?.(controller, response.status, headersOf(response));
    for await (const chunk of chunksOf(controller)) handler.onResponseData?.(controller, chunk);
    handler.onResponseEnd?.(controller, {});
  } catch (error) {
    controller.leave();
    handler.onResponseError?.(controller, error as Error);
  }
}

class FetchController implements DispatchController {
  reason: Error | null = null;
  paused = false;
  /** The body of the response. Set after the head has arrived. */
  body: AsyncIterator<Uint8Array> | undefined;
  private readonly ending = new AbortController();
  private resumed: PromiseWithResolvers<void> | undefined;

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  get aborted(): boolean {
    return this.ending.signal.aborted;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.reason = reason;
    this.ending.abort(reason);
    this.leave();
    this.resume();
  }

  throwIfAborted(): void {
    this.ending.signal.throwIfAborted();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.resumed?.resolve();
    this.resumed = undefined;
  }

  /** Resolves when the body is not paused. */
  async ready(): Promise<void> {
    while (this.paused && !this.aborted) {
      this.resumed ??= Promise.withResolvers();
      await this.resumed.promise;
    }
  }

  /** Closes the body without waiting for it to close. */
  leave(): void {
    const { body } = this;
    this.body = undefined;
    // the signal ends a pending read; awaiting `return` would wait for the next chunk
    Promise.resolve(body?.return?.()).catch(() => undefined);
  }
}

async function* chunksOf(controller: FetchController): AsyncGenerator<Buffer> {
  for (;;) {
    await controller.ready();
    controller.throwIfAborted();
    const step = await controller.body?.next();
    if (step === undefined || step.done === true) return;
    const { value } = step;
    if (!(value instanceof Uint8Array)) {
      throw new FetchMisbehaved("its response has a body that is not bytes");
    }
    yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}

function checked(response: FetchResponse): FetchResponse {
  // the fetch function of a test may be untyped
  if (typeof response !== "object" || response === null || !Number.isInteger(response.status)) {
    throw new FetchMisbehaved("it returned no Response");
  }
  if (response.redirected === true) {
    throw new FetchMisbehaved('it followed a redirect, in spite of redirect: "manual"');
  }
  if (response.status < 200 || response.status > 999) {
    throw new FetchMisbehaved("it hides the response, as browsers do with redirects");
  }
  const { body } = response;
  if (body !== null && body !== undefined && typeof body[Symbol.asyncIterator] !== "function") {
    throw new FetchMisbehaved("its response has a body that is no stream");
  }
  return response;
}

/**
 * Returns the headers of a response. A `fetch` decodes the body but does not change the headers, so
 * `Content-Encoding` and `Content-Length` do not describe the decoded body.
 */
function headersOf({ headers }: FetchResponse): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of headers) {
    const before = record[name.toLowerCase()];
    record[name.toLowerCase()] = before === undefined ? value : [...[before].flat(), value];
  }
  if (record["content-encoding"] !== undefined) {
    delete record["content-encoding"];
    delete record["content-length"];
  }
  return record;
}

function initOf(options: DispatchOptions, signal: AbortSignal): FetchInit {
  const { method, body, idempotent = false } = options;
  const headers = pairsOf(options.headers as readonly string[]);
  const init = { method, headers, redirect: "manual", credentials: "omit", signal } as const;
  if (body === null || body === undefined) return init;
  if (method === "GET" || method === "HEAD") throw new NotForFetch(`fetch sends no body with ${method}`);
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    return { ...init, body: streamOf(body as AsyncIterable<Uint8Array>), duplex: "half" };
  }
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (idempotent) return { ...init, body: bytes as Uint8Array<ArrayBuffer> };
  // a fetch may itself retry a request whose body is in memory, but never a request whose body is a stream
  headers.push(["content-length", String(bytes.length)]);
  return { ...init, body: streamOf([bytes]), duplex: "half" };
}

function streamOf(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): globalThis.ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(chunks) as globalThis.ReadableStream<Uint8Array<ArrayBuffer>>;
}

function pairsOf(flat: readonly string[]): Array<[string, string]> {
  const pairs: Array<[string, string]> = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? "", flat[at + 1] ?? ""]);
  return pairs;
}
