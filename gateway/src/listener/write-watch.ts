import { constants, type ServerHttp2Stream } from "node:http2";
import type { Callbacks } from "./callbacks.ts";
import { cut, type HttpResponse, outgoing } from "./http.ts";

/** A response, or a raw HTTP/2 stream. */
type Written = HttpResponse | { readonly stream: ServerHttp2Stream };

/** A watched response, and the time of its client's last known activity. */
export interface Watched {
  readonly response: Written;
  /** A detached stream is checked only until its client has read all bytes. */
  readonly isDetached?: boolean;
  /** The time when the client last read, or had nothing to read, by `performance.now()`. */
  // biome-ignore lint/plugin: changes while the response is sent
  waitingSince: number;
}

/**
 * The minimum interval between two attempts to make room, in milliseconds. Each attempt checks all responses.
 */
const SHED_EVERY_MS = 50;

/**
 * Checks that clients read their responses, both whole responses and streams. A response with unread bytes is
 * cut if its client reads none of them for `stalledMs`. A full HTTP/2 window counts in the same way as a full
 * TCP window.
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
   * @param onStalled called for each response that is cut
   * @param requests the requests whose responses are watched; these responses report reads themselves
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

  /** Watches a response that is not in `requests`, until the response closes. */
  add(response: HttpResponse, callbacks: Callbacks): void {
    const watched = { response, waitingSince: this.now() };
    this.watched.set(response, watched);
    callbacks.on(outgoing(response), "drain", () => {
      watched.waitingSince = this.now();
    });
    callbacks.once(outgoing(response), "close", () => this.watched.delete(response));
  }

  /** Watches a detached stream after a write, until the client has read it. */
  wrote(stream: ServerHttp2Stream): void {
    if (this.watched.has(stream)) return;
    this.watched.set(stream, { response: { stream }, isDetached: true, waitingSince: this.now() });
  }

  /** Records that a detached stream has been read or has closed. */
  progressed(stream: ServerHttp2Stream): void {
    this.watched.delete(stream);
    if (!stream.destroyed && stream.writableLength > 0) this.wrote(stream);
  }

  /** Cuts responses that have been unread for `stalledMs`; must be called more often than that. */
  check(): void {
    this.cutAfter(this.stalledMs());
  }

  /**
   * Makes room under contention: cuts responses that have been unread for `ms`, which is shorter than
   * `stalledMs`.
   *
   * @returns whether a response was cut, now or by the previous attempt, if that was very recent
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
   * Cuts a response that has been unread for `ms`; returns whether it was cut. If the response has no unread
   * bytes, the time starts again.
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
 * Returns whether a response has bytes, or an end, that its client has not accepted. A pipelined response has
 * to wait for the responses before it.
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
 * Cuts a response off. If its stream still exists after a previous cut, its session no longer sends anything,
 * e.g. because its peer violated the protocol after a GOAWAY; in that case, closes the whole session.
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
