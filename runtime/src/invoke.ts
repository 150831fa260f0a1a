import type { DescMessage, MessageShape, Registry } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Clock, Difference } from "connect-rest-codec/internal";
import type { AnyMethodAdapter, PollAdapter, UnaryAdapter, UploadAdapter } from "./adapter/adapter.ts";
import type { CallContext, CallSettings } from "./call/call-context.ts";
import { differenceLevels } from "./call/difference-levels.ts";
import { messageOf } from "./call/messages.ts";
import { notify } from "./call/notify.ts";
import type { DifferenceReport, RestOptions } from "./call/options.ts";
import type { Route, StreamAdapter } from "./call/routes.ts";
import { RunningCall } from "./call/running-call.ts";
import { send } from "./call/send.ts";
import { resolveWatch } from "./call/watch-options.ts";
import type { CallTrace } from "./explain/call-trace.ts";
import { Explanation } from "./explain/explanation.ts";
import { FeedHub } from "./feed/hub.ts";
import { WatchedFeed } from "./feed/watched-feed.ts";
import { watchedMessages } from "./feed/watched-messages.ts";
import { Decoder } from "./response/decode.ts";
import { ResponseScanner } from "./response/scan-response.ts";
import { MessageStream } from "./stream/message-stream.ts";
import { awaitOperation } from "./stream/operation.ts";
import { upload } from "./stream/upload.ts";
import { messagesOf } from "./streams.ts";
import { raced } from "./time/abort.ts";

/** The result of a call that has a single response. */
export interface Outcome {
  /**
   * The response message. Its buffer may be returned to `bufferPool` once nothing references the message any
   * more.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The upstream's response headers that the caller receives. */
  readonly header: Headers;
}

type AnyMessage = MessageShape<DescMessage>;

/**
 * Makes calls: builds the request, sends it to the upstream, reads the response, and reports the end of the
 * call.
 */
export class Invoker {
  private readonly settings: CallSettings;
  private readonly hub: FeedHub;

  /** @throws ConnectError reason OPTION_INVALID */
  constructor(options: RestOptions, types: Registry, clock: Clock) {
    this.settings = {
      options,
      levelsOf: differenceLevels(options),
      types,
      clock,
      decoder: new Decoder(),
      scanner: options.scanner === false ? undefined : ResponseScanner.create(),
    };
    const poll = (route: Route<PollAdapter>, context: CallContext) =>
      new RunningCall(route, context, this.settings);
    this.hub = new FeedHub(resolveWatch(options.watch), clock, poll);
  }

  /** Ends all feed watches. The last message of each watch contains its resume token. */
  drain(): void {
    this.hub.drain();
  }

  /** @throws ConnectError */
  unary(route: Route<UnaryAdapter>, message: AnyMessage, context: CallContext): Promise<Outcome> {
    return this.called(new RunningCall(route, context, this.settings), message);
  }

  private called(call: RunningCall<UnaryAdapter>, message: AnyMessage): Promise<Outcome> {
    const { operation: rule } = call.adapter.rules;
    if (rule !== undefined) return this.single(call, () => awaitOperation(call, message, rule));
    return this.sent(call, message);
  }

  /**
   * Makes a call and explains it. For a stream, only the first message is requested. A dry run is not
   * reported to listeners.
   */
  async explain(
    route: Route,
    message: AnyMessage,
    context: CallContext,
    trace: CallTrace,
  ): Promise<Explanation> {
    const differences: Difference[] = [];
    const { options } = this.settings;
    const onDifference = (report: DifferenceReport) => {
      differences.push(...report.differences);
      notify("onDifference", options.onDifference, report);
    };
    const listeners = trace.isDry ? { callerOf: options.callerOf } : options;
    const settings = { ...this.settings, options: { ...listeners, onDifference } };
    const call = new RunningCall(route, { ...context, trace }, settings);
    let error: ConnectError | undefined;
    try {
      await this.explained(call, message);
    } catch (thrown) {
      error = call.errorOf(thrown);
    }
    call.ended(error);
    const requests = trace.requests(call.secrets());
    const isEnded = trace.isDry && requests.length > 0;
    return new Explanation({
      method: route.adapter.method,
      upstream: route.adapter.rules.upstream,
      isSent: !trace.isDry,
      requests,
      readBy: error === undefined ? call.readBy : undefined,
      differences,
      error: isEnded ? undefined : error,
    });
  }

  private async explained(call: RunningCall, message: AnyMessage): Promise<void> {
    if (isKind(call, "unary")) {
      await this.called(call, message);
    } else if (isKind(call, "upload")) {
      await upload(call, only(message));
    } else {
      const messages = messagesOf(call as RunningCall<StreamAdapter>, message);
      await messages.next();
      await messages.return(undefined);
    }
  }

  /** Makes a call of a `single` method in as few steps as possible. */
  private async sent(call: RunningCall<UnaryAdapter>, message: AnyMessage): Promise<Outcome> {
    let error: ConnectError | undefined;
    try {
      checkRunning(call);
      const read = await send(call, call.request(message), SCANNED);
      const bytes = messageOf(call, read);
      return { bytes: bytes instanceof Promise ? await bytes : bytes, header: call.header };
    } catch (thrown) {
      error = call.errorOf(thrown);
      throw error;
    } finally {
      call.ended(error);
    }
  }

  /** @throws ConnectError */
  upload(
    route: Route<UploadAdapter>,
    messages: AsyncIterable<AnyMessage>,
    context: CallContext,
  ): Promise<Outcome> {
    return this.single(new RunningCall(route, context, this.settings), (call) => upload(call, messages));
  }

  /**
   * Makes a streaming call. Sends nothing before the first message is requested.
   *
   * @param request returns the request message, or a promise of it
   */
  stream(
    route: Route<StreamAdapter>,
    request: () => AnyMessage | Promise<AnyMessage>,
    context: CallContext,
  ): MessageStream {
    return new MessageStream(context, (inner) => {
      const call = new RunningCall(route, inner, this.settings);
      return { call, messages: this.streamed(call, request) };
    });
  }

  private async *streamed(
    call: RunningCall<StreamAdapter>,
    request: () => AnyMessage | Promise<AnyMessage>,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
    const { signal } = call.context;
    signal.throwIfAborted();
    const given = request();
    const message = given instanceof Promise ? await raced(given, signal) : given;
    yield* isFeed(call) ? watchedMessages(call, message, this.hub) : messagesOf(call, message);
  }

  /**
   * Watches a feed without a stream.
   *
   * @param onReady called when a message or the end is available; it must not throw
   * @throws ConnectError if the watch cannot begin
   */
  async watch(
    route: Route<PollAdapter>,
    message: AnyMessage,
    context: CallContext,
    onReady: () => void,
  ): Promise<WatchedFeed> {
    const call = new RunningCall(route, context, this.settings);
    try {
      return new WatchedFeed(await this.hub.watch({ call, message, onReady }), call);
    } catch (thrown) {
      const error = call.errorOf(thrown);
      call.ended(error);
      throw error;
    }
  }

  private async single<A extends UnaryAdapter | UploadAdapter>(
    call: RunningCall<A>,
    run: (call: RunningCall<A>) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Outcome> {
    let error: ConnectError | undefined;
    try {
      checkRunning(call);
      return { bytes: await run(call), header: call.header };
    } catch (thrown) {
      error = call.errorOf(thrown);
      throw error;
    } finally {
      call.ended(error);
    }
  }
}

const SCANNED = { scan: true };

/**
 * @throws the abort reason if the call was already aborted, unless the context has `onCancel`, which reports
 *   the abort later
 */
function checkRunning({ context }: RunningCall): void {
  if (context.onCancel === undefined) context.signal.throwIfAborted();
}

function isKind<K extends AnyMethodAdapter["kind"]>(
  call: RunningCall,
  kind: K,
): call is RunningCall<Extract<AnyMethodAdapter, { readonly kind: K }>> {
  return call.adapter.kind === kind;
}

async function* only<T>(item: T): AsyncGenerator<T> {
  yield item;
}

function isFeed(call: RunningCall<StreamAdapter>): call is RunningCall<PollAdapter> {
  return call.adapter.kind === "poll" && call.adapter.feed !== undefined;
}
