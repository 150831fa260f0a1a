import {
  clone,
  create,
  type DescMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { type Clock, fraction, MAX_DELAY_MS, systemClock } from "connect-rest-codec/internal";
import type { PollAdapter } from "../adapter/adapter.ts";
import { infoOf, restError } from "../errors/rest-error.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { fullName } from "../text/full-name.ts";
import { sleep } from "../time/abort.ts";

/** The message type of the repeated field of a batch. */
export type FeedItemOf<M> = {
  [K in keyof M]-?: NonNullable<M[K]> extends Array<infer Item extends Message> ? Item : never;
}[keyof M];

/** Options of a client that watches a feed. */
export interface WatchLoopOptions<O extends DescMessage = DescMessage> {
  /** Ends the loop with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** The headers of every call. */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  /**
   * Called with each message once all of its items have been handled. Resuming from a token that is stored
   * here neither repeats nor loses an item. Also called for messages without items, such as heartbeats.
   */
  readonly onBatch?: ((batch: MessageShape<O>) => void | Promise<void>) | undefined;
  /**
   * Called before the next items if items were missed, because more items were added than the feed lists.
   * Default: no callback.
   */
  readonly onGap?: (() => void) | undefined;
  /**
   * Called with the error that ended the stream, and the delay in milliseconds before the next stream.
   * Default: no callback.
   */
  readonly onReconnect?: ((error: ConnectError | undefined, delayMs: number) => void) | undefined;
  /** The maximum number of consecutive failures. Default: unlimited; only the signal ends the loop. */
  readonly maxFailures?: number | undefined;
  /**
   * The longest delay before the next stream in milliseconds, unless the server requests a longer delay.
   * Default: 30 000.
   */
  readonly maxDelayMs?: number | undefined;
  /** For tests. Default: the real clock. */
  readonly clock?: Clock | undefined;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY = 30_000;
/**
 * The codes of streams that were cut off by a broken connection, a proxy, a server that shuts down, or a
 * deadline.
 */
const CUT: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.Aborted,
  Code.Canceled,
  Code.DeadlineExceeded,
  Code.DataLoss,
]);
/** Codes of streams that were cut off, provided that the error has no details. */
const UNEXPLAINED: ReadonlySet<Code> = new Set([Code.Internal, Code.Unknown, Code.InvalidArgument]);

/**
 * Yields the items of a feed one by one. When a stream ends, the next stream uses the resume token to
 * continue after the last message. Each item is delivered once, even if a server with a `resumeKey` restarts.
 *
 *     for await (const event of watch(transport, EventService_watchPublicEvents, {})) …
 *
 * @param transport a transport to a gateway, or one that `createRestTransport` created
 * @param adapter a method of a generated adapter. Its rule `poll` must have a `batch`, and its request a
 *   `resume_token`.
 * @throws ConnectError that a retry cannot fix, or the last of `maxFailures` errors; the reason of the signal
 */
export async function* watch<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  adapter: Pick<PollAdapter<I, O>, "method" | "feed">,
  request: MessageInitShape<I>,
  options: WatchLoopOptions<O> = {},
): AsyncGenerator<FeedItemOf<MessageShape<O>>, undefined> {
  const stream = new FeedStream(transport, adapter, request, options);
  for (;;) {
    const error = yield* stream.once();
    await stream.pause(error);
  }
}

class FeedStream<I extends DescMessage, O extends DescMessage> {
  private readonly transport: Transport;
  private readonly method: PollAdapter<I, O>["method"];
  private readonly options: WatchLoopOptions<O>;
  private readonly clock: Clock;
  private readonly signal: AbortSignal;
  private readonly names: {
    readonly items: string;
    readonly token: string;
    readonly gap: string | undefined;
  };
  private readonly tokenField: string;
  private readonly startFields: ReadonlyArray<string | undefined>;
  private request: MessageShape<I>;
  private failures = 0;

  constructor(
    transport: Transport,
    { method, feed }: Pick<PollAdapter<I, O>, "method" | "feed">,
    request: MessageInitShape<I>,
    options: WatchLoopOptions<O>,
  ) {
    const tokenField = feed?.startFields.token;
    if (feed === undefined || tokenField === undefined) {
      const problem = "expected a rule `poll` with a batch and a resume token in the request";
      throw restError("METHOD_RULES_INVALID", { method: fullName(method), problem });
    }
    this.transport = transport;
    this.method = method;
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.signal = options.signal ?? new AbortController().signal;
    this.tokenField = tokenField;
    this.startFields = Object.values(feed.startFields);
    this.request = clone(method.input, create(method.input, request));
    const nameOf = (number: number) => method.output.fields.find((each) => each.number === number)?.localName;
    const { items, token, gap } = feed.batch;
    this.names = {
      items: nameOf(items) ?? "",
      token: nameOf(token) ?? "",
      gap: gap === undefined ? undefined : nameOf(gap),
    };
  }

  /** Reads one stream, and returns the error that ended the stream. */
  async *once(): AsyncGenerator<FeedItemOf<MessageShape<O>>, ConnectError | undefined> {
    this.signal.throwIfAborted();
    // aborted when the caller leaves the loop, to end the call
    const left = new AbortController();
    const signal = AbortSignal.any([this.signal, left.signal]);
    try {
      const batches = this.call(signal)[Symbol.asyncIterator]();
      for (;;) {
        const step = await settled(batches.next());
        this.signal.throwIfAborted();
        if (step instanceof ConnectError) return step;
        if (step.done === true) return undefined;
        yield* this.itemsOf(step.value);
      }
    } finally {
      left.abort();
    }
  }

  /** @throws the error, if another stream would end with the same error */
  async pause(error: ConnectError | undefined): Promise<void> {
    this.failures++;
    const { maxFailures = Number.POSITIVE_INFINITY, maxDelayMs = MAX_DELAY, onReconnect } = this.options;
    if (error !== undefined && (!isPassing(error) || this.failures > maxFailures)) throw error;
    const backoff = Math.min(FIRST_DELAY_MS * 2 ** Math.min(this.failures - 1, 16), maxDelayMs);
    const asked = error === undefined ? 0 : (retryDelayOf(error) ?? 0);
    // spreads out reconnections when a server shuts down and all of its clients reconnect
    const delayMs = Math.min(asked + backoff * (0.5 + fraction(this.clock) / 2), MAX_DELAY_MS);
    onReconnect?.(error, delayMs);
    await sleep(delayMs, this.clock, this.signal);
  }

  private call(signal: AbortSignal): AsyncIterable<MessageShape<O>> {
    const client = createClient(this.method.parent, this.transport);
    const { headers } = this.options;
    const call = client[this.method.localName] as unknown as (
      request: MessageShape<I>,
      options: object,
    ) => AsyncIterable<MessageShape<O>>;
    return call(this.request, { signal, ...(headers !== undefined && { headers }) });
  }

  private async *itemsOf(batch: MessageShape<O>): AsyncGenerator<FeedItemOf<MessageShape<O>>, undefined> {
    const fields = batch as unknown as Readonly<Record<string, unknown>>;
    const { items, token, gap } = this.names;
    this.failures = 0;
    if (gap !== undefined && fields[gap] === true) this.options.onGap?.();
    yield* fields[items] as Array<FeedItemOf<MessageShape<O>>>;
    this.resumeAt(String(fields[token]));
    await this.options.onBatch?.(batch);
    return undefined;
  }

  private resumeAt(token: string): void {
    // a heartbeat before the first poll has no position
    if (token === "") return;
    const { input } = this.method;
    const message = reflect(input, this.request);
    for (const field of input.fields) if (this.startFields.includes(field.name)) message.clear(field);
    for (const field of input.fields) if (field.name === this.tokenField) message.set(field, token);
  }
}

async function settled<T>(promise: Promise<T>): Promise<T | ConnectError> {
  try {
    return await promise;
  } catch (error) {
    return ConnectError.from(error);
  }
}

/** Reports whether another stream may succeed. */
function isPassing(error: ConnectError): boolean {
  const info = infoOf(error);
  if (error.code === Code.ResourceExhausted) {
    // the call was rejected temporarily, or disconnected for being slow; limits of the request itself are
    // permanent
    return (
      retryDelayOf(error) !== undefined ||
      info?.reason === "WATCHER_TOO_SLOW" ||
      info?.reason === "WATCHERS_EXHAUSTED"
    );
  }
  return CUT.has(error.code) || (error.details.length === 0 && UNEXPLAINED.has(error.code));
}
