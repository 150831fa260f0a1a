import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type {
  DownloadAdapter,
  PaginateAdapter,
  PollAdapter,
  RecordsAdapter,
  UnaryAdapter,
  UploadAdapter,
} from "./adapter/adapter.ts";
import { differenceLevels } from "./call/difference-levels.ts";
import type { RestOptions } from "./call/options.ts";
import type { Route, StreamAdapter } from "./call/routes.ts";
import { type CallContext, type CallSettings, RunningCall } from "./call/running-call.ts";
import { Decoder } from "./response/decode.ts";
import { download } from "./stream/download.ts";
import { MessageStream } from "./stream/message-stream.ts";
import { paginate } from "./stream/paginate.ts";
import { poll } from "./stream/poll.ts";
import { records } from "./stream/records.ts";
import { upload } from "./stream/upload.ts";
import type { Clock } from "./time/clock.ts";

/** What a call brings that has one response. */
export interface Outcome {
  /** The response message. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Headers of the upstream's response that callers get. */
  readonly header: Headers;
}

type AnyMessage = MessageShape<DescMessage>;

/** Makes calls: request, upstream, response; and reports them. */
export class Invoker {
  private readonly settings: CallSettings;

  /** @throws ConnectError reason OPTION_INVALID */
  constructor(options: RestOptions, clock: Clock) {
    this.settings = { options, levelsOf: differenceLevels(options), clock, decoder: new Decoder() };
  }

  /** @throws ConnectError */
  unary(route: Route<UnaryAdapter>, message: AnyMessage, context: CallContext): Promise<Outcome> {
    return this.single(new RunningCall(route, context, this.settings), async (call) => {
      return call.message(await call.send(call.request(message)));
    });
  }

  /** @throws ConnectError */
  upload(
    route: Route<UploadAdapter>,
    messages: AsyncIterable<AnyMessage>,
    context: CallContext,
  ): Promise<Outcome> {
    return this.single(new RunningCall(route, context, this.settings), (call) => upload(call, messages));
  }

  /** Nothing is sent before the first message is asked for. */
  stream(route: Route<StreamAdapter>, message: AnyMessage, context: CallContext): MessageStream {
    return new MessageStream(context, (inner) => {
      const call = new RunningCall(route, inner, this.settings);
      return { call, messages: this.reported(call, message) };
    });
  }

  private async single<A extends UnaryAdapter | UploadAdapter>(
    call: RunningCall<A>,
    run: (call: RunningCall<A>) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Outcome> {
    let error: ConnectError | undefined;
    try {
      call.context.signal.throwIfAborted();
      return { bytes: await run(call), header: call.header };
    } catch (thrown) {
      error = call.errorOf(thrown);
      throw error;
    } finally {
      call.ended(error);
    }
  }

  private async *reported(
    call: RunningCall<StreamAdapter>,
    message: AnyMessage,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
    let error: ConnectError | undefined;
    try {
      call.context.signal.throwIfAborted();
      yield* messagesOf(call, message);
    } catch (thrown) {
      error = call.errorOf(thrown);
      throw error;
    } finally {
      call.ended(error);
    }
  }
}

function messagesOf(call: RunningCall<StreamAdapter>, message: AnyMessage) {
  switch (call.adapter.kind) {
    case "paginate":
      return paginate(call as RunningCall<PaginateAdapter>, message);
    case "poll":
      return poll(call as RunningCall<PollAdapter>, message);
    case "records":
      return records(call as RunningCall<RecordsAdapter>, message);
    case "download":
      return download(call as RunningCall<DownloadAdapter>, message);
  }
}
