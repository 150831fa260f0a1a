import type { IncomingMessage } from "node:http";

/**
 * What to do instead of responding. The handler does not run, so no state changes, unless the text says so.
 */
export type Fault =
  /** A fixed response. A `body` that is no string and no bytes is sent as JSON. */
  | { status: number; headers?: Record<string, string | string[]>; body?: unknown }
  /** A redirect to this address, 302 unless `status` says otherwise. */
  | { redirect: string; status?: number }
  /** An HTML page, as a proxy or an outage sends it; 502 unless `status` says otherwise. */
  | { html: true | string; status?: number }
  /** Random-looking bytes under a JSON content type; `garbage` of them (64 if `true`). */
  | { garbage: true | number; status?: number }
  /** Valid JSON of this many bytes, streamed with back-pressure. */
  | { oversize: number }
  /** JSON nested this deep. */
  | { deep: number }
  /**
   * No response: nothing at all (`true`), or only headers (`"headers"`), or half the real body (`"body"`;
   * the handler runs).
   */
  | { hang: true | "headers" | "body" }
  /**
   * The connection is reset: before anything (`true`, `"before"`), after the handler ran but before its
   * response (`"after"`), after the headers (`"headers"`) or in the middle of the body (`"body"`);
   * the last three run the handler.
   */
  | { reset: true | "before" | "after" | "headers" | "body" }
  /** Writes these bytes to the socket and ends it. */
  | { raw: Uint8Array | string }
  /** The handler runs; its response comes after this many milliseconds. */
  | { delay: number }
  /**
   * The handler runs; its response's body comes in pieces of `drip` bytes,
   * one every `every` milliseconds (1).
   */
  | { drip: number; every?: number }
  /**
   * The handler runs; this many bytes of its body are sent, under the full length, and the connection closes.
   */
  | { truncate: number }
  /**
   * The handler runs; its JSON (integers beyond 2^53 as `bigint`) is changed before it is sent.
   * May return a new value.
   */
  | { drift: (json: unknown) => unknown }
  /** The handler runs; headers are added to its response, or removed where the value is `undefined`. */
  | { headers: Record<string, string | string[] | undefined>; status?: never };

/** Which requests a fault is for: text in the path, a pattern for `METHOD /path?query`, or any test. */
export type FaultMatch = string | RegExp | ((request: { method: string; url: string }) => boolean);

export interface FaultOptions {
  /** Only for matching requests; without it, for the next request whatever it is. */
  readonly match?: FaultMatch;
  /** How many responses it spoils, 1 if not given; `Infinity` until `clear`. */
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

/** Faults waiting for their requests, first in, first out. */
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

  /** Faults that have not been used up. */
  get pending(): number {
    return this.queue.length;
  }

  clear(): void {
    this.queue = [];
  }
}
