import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { StreamAdapter } from "./call/routes.ts";
import type { RunningCall } from "./call/running-call.ts";
import { poll } from "./feed/poll.ts";
import { download } from "./stream/download.ts";
import { operation } from "./stream/operation.ts";
import { paginate } from "./stream/paginate.ts";
import { records } from "./stream/records.ts";

type AnyMessage = MessageShape<DescMessage>;

type Messages<A extends StreamAdapter> = (
  call: RunningCall<A>,
  message: AnyMessage,
) => AsyncGenerator<Uint8Array<ArrayBuffer>, undefined>;

const STREAMS = { paginate, poll, records, operation, download } as const satisfies {
  readonly [K in StreamAdapter["kind"]]: Messages<Extract<StreamAdapter, { readonly kind: K }>>;
};

/** Calls a method that responds with a stream. Yields the response messages as protobuf bytes. */
export function messagesOf(call: RunningCall<StreamAdapter>, message: AnyMessage) {
  const messages = STREAMS[call.adapter.kind] as Messages<StreamAdapter>;
  return messages(call, message);
}
