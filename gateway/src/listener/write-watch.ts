import { constants, type ServerHttp2Stream } from "node:http2";
import type { Callbacks } from "./callbacks.ts";
import { cut, type HttpResponse, outgoing } from "./http.ts";

/** A response, or a stream of HTTP/2 alone. */
type Written = HttpResponse | { readonly stream: ServerHttp2Stream };

/** What is watched, and what its client was seen to do. */
export interface Watched {
  readonly response: Written;
  /** Looked at only until its client has read everything. */
  readonly isDetached?: boolean;
  /** When its client was last known to read, or to have nothing to read; by `performance.now()`. */
  // biome-ignore lint/plugin: changes while the response is sent
  waitingSince: number;
}

/** How often room is made at most, in milliseconds, since all responses are looked at for it. */
const SHED_EVERY_MS = 50;

/**
 * Watches that clients read their responses, whatever they are responses to: one that has something to read
 * and takes none of it for `stalledMs` loses it. HTTP/2's windows count as much as those of TCP.
 */
export class WriteWatch {
  private readonly watched = new Map<object, Watched>();
  private readonly stalledMs: () => number;
  private readonly onStalled: () => void;
  private readonly requests: Iterable<Watched>;
  private readonly now: () => number;
  private lastShedAt = Number.NEGATIVE_INFINITY;
  private hasShed = false;

  /**
   * @param onStalled notified of each response that is cut
   * @param requests those whose responses are watched, which say themselves when they are read
   */
  constructor(
    stalledMs: () => number,
    onStalled: () => void,
    requests: Iterable<Watched> = [],
    now: () => number = () => performance.now(),
  ) {
    this.stalledMs = stalledMs;
    this.onStalled = onStalled;
    this.requests = requests;
    this.now = now;
  }

  /** Watches a response until it closes, which is not one of the requests. */
  add(response: HttpResponse, callbacks: Callbacks): void {
    const watched = { response, waitingSince: this.now() };
    this.watched.set(response, watched);
    callbacks.on(outgoing(response), "drain", () => {
      watched.waitingSince = this.now();
    });
    callbacks.once(outgoing(response), "close", () => this.watched.delete(response));
  }

  /** Watches a detached stream, to which something was just written, until it is read. */
  wrote(stream: ServerHttp2Stream): void {
    if (this.watched.has(stream)) return;
    this.watched.set(stream, { response: { stream }, isDetached: true, waitingSince: this.now() });
  }

  /** A detached stream is read again, or closed. */
  progressed(stream: ServerHttp2Stream): void {
    this.watched.delete(stream);
    if (!stream.destroyed && stream.writableLength > 0) this.wrote(stream);
  }

  /** Cuts responses that have not been read for `stalledMs`. To be called more often than that. */
  check(): void {
    this.cutAfter(this.stalledMs());
  }

  /**
   * Makes room in a crowd: cuts what has not been read for a shorter time, in milliseconds.
   *
   * @returns whether it has cut anything, now or just before
   */
  shed(ms: number): boolean {
    if (this.now() - this.lastShedAt >= SHED_EVERY_MS) {
      this.lastShedAt = this.now();
      this.hasShed = this.cutAfter(Math.min(ms, this.stalledMs())) > 0;
    }
    return this.hasShed;
  }

  private cutAfter(ms: number): number {
    const now = this.now();
    let count = 0;
    for (const watched of this.requests) if (this.isCut(watched, now, ms)) count += 1;
    for (const [key, watched] of this.watched) {
      if (watched.isDetached === true && !isWaiting(watched.response)) this.watched.delete(key);
      if (this.isCut(watched, now, ms)) count += 1;
    }
    return count;
  }

  /**
   * Cuts a response that has not been read for so long; true where it has.
   * One that has nothing to be read waits since now.
   */
  private isCut(watched: Watched, now: number, ms: number): boolean {
    if (!isWaiting(watched.response)) {
      watched.waitingSince = now;
      return false;
    }
    if (now - watched.waitingSince < ms) return false;
    watched.waitingSince = now;
    this.onStalled();
    cutOrClose(watched.response);
    return true;
  }
}

/**
 * Whether a response has bytes, or an end, that its client has not taken. One that is pipelined behind
 * another has no turn yet.
 */
function isWaiting(response: Written): boolean {
  if ("stream" in response) {
    const { writableLength, writableEnded, closed } = response.stream;
    return writableLength > 0 || writableEnded || closed;
  }
  if (response.socket === null) return false;
  return response.writableLength > 0 || (response.writableEnded && !response.writableFinished);
}

/**
 * Cuts a response off. A stream that has been cut before, and still is there, is one of a session that sends
 * nothing any more, e.g. since its peer has violated the protocol after it had said goodbye:
 * that ends as a whole.
 */
function cutOrClose(response: Written): void {
  if ("stream" in response && response.stream.closed) {
    response.stream.session?.destroy();
    response.stream.destroy();
  } else {
    cutWritten(response);
  }
}

function cutWritten(response: Written): void {
  if ("destroy" in response) {
    cut(response, constants.NGHTTP2_CANCEL);
  } else {
    response.stream.close(constants.NGHTTP2_CANCEL);
  }
}
