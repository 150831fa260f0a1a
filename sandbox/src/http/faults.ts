import type { IncomingMessage } from "node:http";

/**
 * A fault that replaces or changes the normal response. Unless stated otherwise, the handler does not run, so
 * no state changes.
 */
export type Fault =
  /** A fixed response. A `body` that is neither a string nor bytes is sent as JSON. */
  | { status: number; headers?: Record<string, string | string[]>; body?: unknown }
  /** A redirect to this address. Default: 302. */
  | { redirect: string; status?: number }
  /** An HTML page, such as the error page of a proxy. Default: 502. */
  | { html: true | string; status?: number }
  /** Pseudorandom bytes with a JSON content type. `garbage` is the number of bytes; `true` means 64. */
  | { garbage: true | number; status?: number }
  /** Valid JSON with this number of bytes, streamed with backpressure. */
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
   * headers (`"headers"`) or in the middle of the body (`"body"`). The handler runs in the last three cases.
   */
  | { reset: true | "before" | "after" | "headers" | "body" }
  /** Writes these bytes to the socket and closes it. */
  | { raw: Uint8Array | string }
  /** Delays the response by this number of milliseconds. The handler runs. */
  | { delay: number }
  /**
   * Sends the body of the response in chunks of `drip` bytes, one every `every` milliseconds (default 1). The
   * handler runs.
   */
  | { drip: number; every?: number }
  /**
   * Declares the full length of the body, sends only this number of bytes, then closes the connection. The
   * handler runs.
   */
  | { truncate: number }
  /**
   * Transforms the JSON before it is sent. Integers beyond 2^53 are `bigint`. May return a new value. The
   * handler runs.
   */
  | { drift: (json: unknown) => unknown }
  /** Adds headers to the response, or removes headers whose value is `undefined`. The handler runs. */
  | { headers: Record<string, string | string[] | undefined>; status?: never };

/**
 * The requests that a fault affects: a string in the path, a pattern for `METHOD /path?query`, or a
 * predicate.
 */
export type FaultMatch = string | RegExp | ((request: { method: string; url: string }) => boolean);

export interface FaultOptions {
  /** Limits the fault to matching requests. Default: the next request. */
  readonly match?: FaultMatch;
  /** The number of responses to affect. Default: 1. With `Infinity`, the fault lasts until `clear`. */
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

/** A queue of faults that wait for their requests, first in, first out. */
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
