import type { IncomingMessage } from "node:http";

/**
 * A fault in place of the normal response. The handler does not run, so no state changes, unless stated
 * otherwise.
 */
export type Fault =
  /** A fixed response. A `body` other than a string or bytes is sent as JSON. */
  | { status: number; headers?: Record<string, string | string[]>; body?: unknown }
  /** A redirect to this address, with 302 by default. */
  | { redirect: string; status?: number }
  /** An HTML page, such as a proxy's error page, with 502 by default. */
  | { html: true | string; status?: number }
  /** Pseudo-random bytes with a JSON content type; `garbage` is their number (`true`: 64). */
  | { garbage: true | number; status?: number }
  /** Valid JSON of this many bytes, streamed with backpressure. */
  | { oversize: number }
  /** JSON with this nesting depth. */
  | { deep: number }
  /**
   * An incomplete response: nothing (`true`), only headers (`"headers"`), or half of the real body (`"body"`;
   * the handler runs).
   */
  | { hang: true | "headers" | "body" }
  /**
   * Resets the connection before the handler (`true`, `"before"`), after the handler (`"after"`), after the
   * headers (`"headers"`) or in the middle of the body (`"body"`); with the last three, the handler runs.
   */
  | { reset: true | "before" | "after" | "headers" | "body" }
  /** Writes these bytes to the socket and closes it. */
  | { raw: Uint8Array | string }
  /** Delays the response by this many milliseconds; the handler runs. */
  | { delay: number }
  /**
   * Sends the response's body in chunks of `drip` bytes, one every `every` milliseconds (default 1); the
   * handler runs.
   */
  | { drip: number; every?: number }
  /**
   * Sends this many bytes of the body with the full length announced, then closes the connection; the handler
   * runs.
   */
  | { truncate: number }
  /**
   * Transforms the JSON (integers beyond 2^53 as `bigint`) before it is sent. May return a new value. The
   * handler runs.
   */
  | { drift: (json: unknown) => unknown }
  /** Adds headers to the response, or removes those with the value `undefined`; the handler runs. */
  | { headers: Record<string, string | string[] | undefined>; status?: never };

/**
 * The requests that a fault affects: text in the path, a pattern for `METHOD /path?query`, or a predicate.
 */
export type FaultMatch = string | RegExp | ((request: { method: string; url: string }) => boolean);

export interface FaultOptions {
  /** Limits the fault to matching requests; by default it affects the next request. */
  readonly match?: FaultMatch;
  /** The number of responses to affect, 1 by default; `Infinity` until `clear`. */
  readonly times?: number;
}

interface Queued {
  readonly fault: Fault;
  readonly match: FaultMatch | undefined;
  left: number;
}

function matches(match: FaultMatch | undefined, method: string, url: string): boolean {
  if (match === undefined) return true;
  if (typeof match === "function") return match({ method, url });
  if (typeof match === "string") return (url.split("?", 1)[0] ?? "").includes(match);
  return match.test(`${method} ${url}`);
}

/** Faults that wait for their requests, in first-in, first-out order. */
export class FaultQueue {
  private queue: Queued[] = [];

  add(fault: Fault, options: FaultOptions = {}): void {
    this.queue.push({ fault, match: options.match, left: options.times ?? 1 });
  }

  take(request: IncomingMessage): Fault | undefined {
    const { method = "", url = "" } = request;
    const found = this.queue.find((item) => matches(item.match, method, url));
    if (!found) return undefined;
    if (--found.left <= 0) this.queue.splice(this.queue.indexOf(found), 1);
    return found.fault;
  }

  /** The number of faults that are not used up. */
  get pending(): number {
    return this.queue.length;
  }

  clear(): void {
    this.queue = [];
  }
}
