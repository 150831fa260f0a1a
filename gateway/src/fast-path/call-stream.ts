import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { type Call, runAs } from "../call/call.ts";
import { deadlineExceeded, errorForCaller, hungUp, stoppedWith } from "../call/call-errors.ts";
import { Callbacks, type Timer } from "../listener/callbacks.ts";
import {
  type DetachedStream,
  type HttpRequest,
  type HttpResponse,
  isSent,
  outgoing,
} from "../listener/http.ts";
import { requestHeaders, toNodeHeaders } from "../protocol/headers.ts";
import type { StreamedResponse } from "../protocol/streamed-response.ts";
import type { Validation } from "../protocol/validate.ts";
import type { UnaryContext } from "./call-unary.ts";
import { DetachedWatch, type Feed } from "./detached-watch.ts";
import { frameOf, sharedFrameOf } from "./frames.ts";
import type { OpenStreams } from "./open-streams.ts";
import { type ReadOptions, readMessage } from "./read-message.ts";
import type { StreamWire } from "./stream-wire.ts";
import type { Head } from "./wire.ts";

type Step = IteratorResult<Uint8Array, undefined>;

/** The messages of a server stream, encoded as protobuf. */
export interface StreamResult {
  /** The headers. They are complete once the first message or the end has arrived. */
  readonly header: Headers;
  /** The trailers. They are complete at the end; undefined without trailers. */
  readonly trailer?: Headers | undefined;
  /** Rejects with a ConnectError; any other error is a defect. */
  next(): Promise<Step>;
  /** Ends the stream, even while a `next` is pending. */
  return(): Promise<unknown>;
}

/** A method that responds with a stream. */
export interface StreamMethod {
  readonly call: (message: MessageShape<DescMessage>, context: UnaryContext) => StreamResult;
  /** Whether several streams of the method send identical bytes, so that each frame is created only once. */
  readonly isShared: boolean;
  /**
   * Watches a feed without a stream, if the method supports it. `onReady` is called when events can be read.
   */
  readonly watch?: (
    message: MessageShape<DescMessage>,
    context: UnaryContext,
    onReady: () => void,
  ) => Promise<Feed>;
}

/** A call of a streaming method whose request head has been read. */
export interface StreamCall {
  readonly wire: StreamWire;
  readonly head: Head;
  readonly method: StreamMethod;
}

/** The options that all streams share. */
export interface StreamOptions extends ReadOptions {
  readonly validation: Pick<Validation, "check">;
  readonly openStreams: OpenStreams;
}

const END: Step = { done: true, value: undefined };

/**
 * Runs a method that watches a feed over HTTP/2. Once the watch has started, its stream is detached. If the
 * call fails before that, returns a stream that ends with the error.
 */
export async function callWatch(
  stream: StreamCall,
  watch: NonNullable<StreamMethod["watch"]>,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  detach: () => DetachedStream | undefined,
  options: StreamOptions,
): Promise<StreamedResponse | DetachedWatch> {
  const running = new RunningStream(stream, call, request, response, options);
  return (await running.detach(watch, response, detach)) ?? running;
}

/**
 * Runs one server stream from its request to its last frame, without connect's handler. The stream ends at
 * the deadline, when the client disconnects, and when the process shuts down, even if the method does not.
 */
export function callStream(
  stream: StreamCall,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  options: StreamOptions,
): StreamedResponse {
  return new RunningStream(stream, call, request, response, options);
}

/** A running stream. Thousands may wait at the same time, so each retains as little memory as possible. */
class RunningStream implements StreamedResponse {
  readonly status = 200;
  private readonly stream: StreamCall;
  private readonly call: Call;
  private readonly request: HttpRequest;
  private readonly options: StreamOptions;
  private readonly abort = new AbortController();
  private readonly callbacks = new Callbacks((error) => this.abort.abort(error));
  private readonly timer: Timer | undefined;
  private result: StreamResult | undefined;
  private isOver = false;
  /** The error that prevented the stream from starting. */
  private failure: unknown;
  /** The error with which other code stopped the stream. */
  private stopped: ConnectError | undefined;
  /** Interrupts the wait for the next frame. */
  private stopWaiting: ((error: ConnectError) => void) | undefined;
  private ownTrailers: Readonly<Record<string, string | string[]>> | undefined;

  constructor(
    stream: StreamCall,
    call: Call,
    request: HttpRequest,
    response: HttpResponse,
    options: StreamOptions,
  ) {
    this.stream = stream;
    this.call = call;
    this.request = request;
    this.options = options;
    call.signal = this.abort.signal;
    const { callbacks } = this;
    // The call may have waited for admission before this point.
    const leftMs = call.startedAt + call.deadline.ms - performance.now();
    if (leftMs <= 0) {
      this.stop(deadlineExceeded(call.deadline));
      return;
    }
    this.timer = callbacks.after(leftMs, () => this.stop(deadlineExceeded(call.deadline)));
    callbacks.once(outgoing(response), "close", () => {
      // once the whole response is sent, no error is created: creating one is expensive, and nothing would
      // receive it
      if (!isSent(response)) this.hangUp();
      this.cleanUp();
    });
    call.running = this;
    options.openStreams.add(this);
  }

  /** Returns the stream itself as its iterator, so that a waiting stream is a single object. */
  get chunks(): this {
    return this;
  }

  headers(): Readonly<Record<string, string | string[]>> {
    const { wire, head } = this.stream;
    const own = this.result?.header;
    return own === undefined ? wire.headers(head) : { ...toNodeHeaders(own), ...wire.headers(head) };
  }

  trailers(): Readonly<Record<string, string | string[]>> | undefined {
    return this.ownTrailers;
  }

  async next(): Promise<Step> {
    if (this.isOver) return END;
    try {
      if (this.failure !== undefined) throw this.failure;
      const { stopped } = this;
      if (stopped !== undefined && this.result === undefined) throw stopped;
      const frame = await this.unlessStopped(this.nextFrame());
      // a method may end normally when its signal is aborted
      if (this.stopped !== undefined && (stopped !== undefined || frame === undefined)) throw this.stopped;
      return frame === undefined ? await this.end(undefined) : { done: false, value: frame };
    } catch (error) {
      return await this.end(error);
    }
  }

  /**
   * Starts to watch, and hands the call over to a detached stream. Returns undefined if the call has to send
   * an error instead.
   */
  async detach(
    watch: NonNullable<StreamMethod["watch"]>,
    response: HttpResponse,
    detach: () => DetachedStream | undefined,
  ): Promise<DetachedWatch | undefined> {
    const holder: Holder = { detached: undefined };
    try {
      const feed = await this.unlessStopped(this.beginWatch(watch, holder));
      if (this.stopped !== undefined) throw feed.leave(this.stopped);
      const headers = { ...sentHeaders(response), ...this.headers() };
      const stream = detach();
      this.cleanUp();
      if (stream === undefined) throw new Error("only streams of HTTP/2 can be detached");
      const { wire, head } = this.stream;
      const { openStreams, types, limits } = this.options;
      const shared = { writeMaxBytes: limits.writeMaxBytes, types, openStreams };
      holder.detached = new DetachedWatch({
        call: this.call,
        wire,
        head,
        feed,
        detached: stream,
        headers,
        options: shared,
      });
      return holder.detached;
    } catch (error) {
      this.failure = error;
      return undefined;
    }
  }

  /** Called when the client disconnects. */
  async return(): Promise<Step> {
    if (!this.isOver) {
      this.hangUp();
      this.leave();
    }
    return END;
  }

  private unlessStopped<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.stopWaiting = reject;
      if (this.stopped !== undefined) this.stopSoon(this.stopped);
      work.then(resolve, reject);
    });
  }

  private async nextFrame(): Promise<Uint8Array | undefined> {
    this.result ??= await this.begin();
    const { result, call } = this;
    const step = await runAs(call, () => result.next()).catch((error: unknown) => {
      call.failedInHandler = error instanceof ConnectError;
      throw error;
    });
    if (step.done === true) return undefined;
    const { head, method } = this.stream;
    const { types, limits } = this.options;
    const make = method.isShared ? sharedFrameOf : frameOf;
    return make(call.method.output, step.value, head, { types, writeMaxBytes: limits.writeMaxBytes });
  }

  /**
   * Reads, decompresses, parses and validates the message, then calls the method. Rejects with a ConnectError
   * or with a defect.
   */
  private async begin(): Promise<StreamResult> {
    const message = await this.read();
    await this.call.place?.take(this.abort.signal);
    return runAs(this.call, () => this.stream.method.call(message, this.context()));
  }

  private async beginWatch(watch: NonNullable<StreamMethod["watch"]>, holder: Holder): Promise<Feed> {
    const message = await this.read();
    return runAs(this.call, () => watch(message, this.context(), readiness(holder)));
  }

  private async read(): Promise<MessageShape<DescMessage>> {
    const { call, request, options, abort } = this;
    const { wire, head } = this.stream;
    if (head.problem !== undefined) throw head.problem;
    const reader = (maxBytes: number) => wire.bodyReader(maxBytes);
    const read = await readMessage(call, request, head, reader, options, abort.signal);
    const loading = options.validation.check(call.method.input, read.message, read.cost);
    if (loading !== undefined) await loading;
    if (read.problem !== undefined) throw read.problem;
    return read.message;
  }

  private context(): UnaryContext {
    const { call, request, abort } = this;
    return {
      header: headersOf(request),
      signal: abort.signal,
      expiresAt: call.startedAt + call.deadline.ms,
      hasCallerDeadline: call.deadline.isClientBound,
    };
  }

  /** Stops the stream with an error. */
  stop(error: ConnectError): void {
    if (this.isOver || this.stopped !== undefined) return;
    this.stopped = error;
    this.abort.abort(error);
    this.stopSoon(error);
  }

  /**
   * Stops the stream after one event-loop turn, so that the method may throw the error itself. Works even if
   * the method ignores its signal.
   */
  private stopSoon(error: ConnectError): void {
    this.callbacks.soon(() => this.stopWaiting?.(error));
  }

  private hangUp(): void {
    if (this.abort.signal.aborted) return;
    const error = hungUp(this.call);
    this.stop(error);
    // the response was not sent completely, whether or not the method has finished
    this.abort.abort(error);
  }

  /** Returns the last step of the stream. */
  private async end(thrown: unknown): Promise<Step> {
    const { wire, head } = this.stream;
    const cause =
      thrown === undefined || this.stopped === undefined ? thrown : stoppedWith(this.stopped, thrown);
    const error = thrown === undefined ? undefined : errorForCaller(cause, this.call);
    if (thrown !== undefined) this.abort.abort(cause);
    this.leave();
    const { frame, trailers } = await wire.end(head, this.result?.trailer, error);
    this.ownTrailers = trailers;
    return frame === undefined ? END : { done: false, value: frame };
  }

  private leave(): void {
    this.isOver = true;
    this.cleanUp();
    this.call.place?.giveBack();
    // not awaited, because a method that ignores its signal would block here
    this.result?.return().catch(() => undefined);
  }

  private cleanUp(): void {
    this.timer?.stop();
    this.options.openStreams.remove(this);
  }
}

/** Returns the response headers that were set before the call. */
function sentHeaders(response: HttpResponse): Record<string, string | string[]> {
  const entries = Object.entries(response.getHeaders()).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
  );
}

/** Refers to the detached stream, which is created after the callback that reports that the feed is ready. */
interface Holder {
  // biome-ignore lint/plugin: set when the stream is detached
  detached: DetachedWatch | undefined;
}

// These are separate functions because their closures live as long as the stream, and must retain nothing
// else.

function readiness(holder: Holder): () => void {
  return () => holder.detached?.ready();
}

function headersOf(request: HttpRequest): () => Headers {
  // a copy takes a quarter of the memory of the original headers
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !name.startsWith(":")),
  );
  return () => requestHeaders({ headers });
}
