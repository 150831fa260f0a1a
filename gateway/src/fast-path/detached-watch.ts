import { constants, type ServerHttp2Stream } from "node:http2";
import type { ConnectError } from "@connectrpc/connect";
import type { Call } from "../call/call.ts";
import { deadlineExceeded, errorForCaller, hungUp } from "../call/call-errors.ts";
import { sharedListener, sharedTimer } from "../listener/callbacks.ts";
import type { DetachedStream } from "../listener/http.ts";
import { sendable } from "../protocol/headers.ts";
import { sharedFrameOf } from "./frames.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { StreamEnd, StreamWire } from "./stream-wire.ts";
import type { Head } from "./wire.ts";

type Fields = Readonly<Record<string, string | string[]>>;

/** A watched feed. Its messages can be taken once it has reported that it is ready. */
export interface Feed {
  /** @throws ConnectError after the last message of a feed that has ended */
  take(): Uint8Array | undefined;
  /** Returns the error with the position at which the client can resume. */
  leave(error?: ConnectError): ConnectError;
}

/** The options that all detached watches share. */
export interface DetachedOptions {
  readonly writeMaxBytes: number;
  readonly types: Parameters<typeof sharedFrameOf>[3]["types"];
  readonly openStreams: OpenStreams;
}

/** The input of a detached watch. */
export interface WatchParts {
  readonly call: Call;
  readonly wire: StreamWire;
  readonly head: Head;
  readonly feed: Feed;
  readonly detached: DetachedStream;
  /** The response headers, which are sent with the first message. */
  readonly headers: Fields;
  readonly options: DetachedOptions;
}

/** The watch of each stream. All streams share the same listeners. */
const WATCHES = new WeakMap<ServerHttp2Stream, DetachedWatch>();

const failed = (stream: ServerHttp2Stream, error: unknown) => WATCHES.get(stream)?.fail(error);
const onDrain = sharedListener<ServerHttp2Stream>((stream) => WATCHES.get(stream)?.drained(), failed);
const onClose = sharedListener<ServerHttp2Stream>((stream) => WATCHES.get(stream)?.closed(), failed);
const onTrailers = sharedListener<ServerHttp2Stream>((stream) => WATCHES.get(stream)?.trail(), failed);

// named constants, because Callbacks does not register these listeners; their callbacks still catch errors
const DRAIN = "drain";
const CLOSE = "close";
const WANT_TRAILERS = "wantTrailers";

/**
 * An HTTP/2 stream that watches a feed. While a stream waits, it retains no promises, generators or closures.
 * Messages are written as they arrive, as long as the client reads them. Unread messages wait in the feed,
 * which disconnects slow watchers.
 */
export class DetachedWatch {
  private readonly call: Call;
  private readonly wire: StreamWire;
  private readonly head: Head;
  private readonly feed: Feed;
  private readonly detached: DetachedStream;
  private readonly options: DetachedOptions;
  private readonly timer: NodeJS.Timeout;
  /** The response headers; set until they are sent. */
  private headers: Fields | undefined;
  private trailers: Fields | undefined;
  /** Whether a frame is being compressed, or the client has to read before the next write. */
  private isBusy = false;
  private isPacking = false;
  /** The error that ends the watch once the current message has been compressed. */
  private stopped: ConnectError | undefined;
  private isOver = false;
  private onOver: ((defect?: unknown) => void) | undefined;
  private defect: unknown;

  constructor({ call, wire, head, feed, detached, headers, options }: WatchParts) {
    this.call = call;
    this.wire = wire;
    this.head = head;
    this.feed = feed;
    this.detached = detached;
    this.headers = headers;
    this.options = options;
    const { stream } = detached;
    WATCHES.set(stream, this);
    stream.on(DRAIN, onDrain).on(CLOSE, onClose).on(WANT_TRAILERS, onTrailers);
    const leftMs = Math.max(0, call.startedAt + call.deadline.ms - performance.now());
    this.timer = sharedTimer(leftMs, expire, this);
    call.running = this;
    options.openStreams.add(this);
  }

  /**
   * Starts to send available messages. Calls `onOver` at the end, with the defect that caused the end, if
   * any.
   */
  begin(onOver: (defect?: unknown) => void): void {
    this.onOver = onOver;
    if (this.detached.stream.destroyed || this.detached.stream.closed) {
      this.closed();
    } else {
      this.ready();
    }
  }

  /** Called when the feed has messages. */
  ready(): void {
    if (this.onOver === undefined) return;
    try {
      while (!this.isBusy && !this.isOver) {
        const message = this.feed.take();
        if (message === undefined) return;
        const { options, head } = this;
        const frame = sharedFrameOf(this.call.method.output, message, head, options);
        if (frame instanceof Promise) {
          this.isBusy = true;
          this.isPacking = true;
          frame
            .then(
              (packed) => this.packed(packed),
              (error: unknown) => this.end(error),
            )
            .catch((error: unknown) => this.fail(error));
        } else {
          this.write(frame);
        }
      }
    } catch (error) {
      // the feed threw the error, or a message cannot be sent
      this.end(error);
    }
  }

  /**
   * Ends the watch with an error. A message that is being compressed is still sent, since the feed already
   * counts it as sent.
   */
  stop(error: ConnectError): void {
    if (this.isPacking) {
      this.stopped ??= error;
    } else if (!this.isOver) {
      this.end(this.feed.leave(error));
    }
  }

  /** Handles an error thrown by a listener. */
  fail(error: unknown): void {
    this.defect = error;
    this.outcome(error);
    this.isOver = true;
    this.detached.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  /** Ends the watch at its deadline. */
  expire(): void {
    this.stop(deadlineExceeded(this.call.deadline));
  }

  drained(): void {
    const { stream, progressed } = this.detached;
    progressed(stream);
    this.isBusy = false;
    this.ready();
  }

  closed(): void {
    const { stream, progressed } = this.detached;
    progressed(stream);
    if (!stream.writableFinished || stream.aborted) this.hungUp();
    this.clear();
    const { onOver, defect } = this;
    this.onOver = undefined;
    onOver?.(defect);
  }

  trail(): void {
    const { stream } = this.detached;
    if (stream.destroyed || stream.closed) return;
    stream.sendTrailers(sendable(this.trailers ?? {}));
  }

  private packed(frame: Uint8Array): void {
    this.isBusy = false;
    this.isPacking = false;
    if (this.isOver) return;
    this.write(frame);
    if (this.stopped === undefined) {
      this.ready();
    } else {
      this.stop(this.stopped);
    }
  }

  private hungUp(): void {
    const error = hungUp(this.call);
    this.outcome(error);
    if (!this.isOver) this.feed.leave(error);
    this.isOver = true;
  }

  /** Aborts the call's signal with the outcome as the reason. The log reads the outcome from there. */
  private outcome(error: unknown): void {
    if (this.call.signal?.aborted === true) return;
    this.call.signal = AbortSignal.abort(error);
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.options.openStreams.remove(this);
  }

  private end(thrown: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.outcome(thrown);
    this.clear();
    const error = errorForCaller(thrown, this.call);
    this.feed.leave(error);
    const end = this.wire.end(this.head, undefined, error);
    if (end instanceof Promise) {
      end.then((done) => this.finish(done)).catch((error: unknown) => this.fail(error));
    } else {
      this.finish(end);
    }
  }

  private finish({ frame, trailers }: StreamEnd): void {
    const { stream } = this.detached;
    if (stream.destroyed || stream.closed) return;
    if (frame === undefined && this.headers !== undefined) {
      stream.respond({ ":status": 200, ...sendable({ ...this.headers, ...trailers }) }, { endStream: true });
      this.headers = undefined;
      return;
    }
    this.trailers = trailers;
    if (frame !== undefined) this.write(frame);
    stream.end();
    this.detached.wrote(stream);
  }

  private write(frame: Uint8Array): void {
    const { stream, wrote } = this.detached;
    if (stream.destroyed || stream.closed) return;
    if (this.headers !== undefined) {
      stream.respond({ ":status": 200, ...sendable(this.headers) }, { waitForTrailers: true });
      this.headers = undefined;
    }
    this.call.bytesOut += frame.length;
    // after `false`, the next message waits until the client has read
    this.isBusy = !stream.write(frame) && !this.isOver;
    wrote(stream);
  }
}

function expire(watch: DetachedWatch): void {
  watch.expire();
}
