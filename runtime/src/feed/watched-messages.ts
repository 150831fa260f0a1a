import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { RunningCall } from "../call/running-call.ts";
import type { FeedHub } from "./hub.ts";
import { withResume } from "./resume-error.ts";

/**
 * Yields the messages of a feed for one watcher.
 *
 * @throws ConnectError whose details contain a connectrest.v1.Resume if there was a message
 */
export async function* watchedMessages(
  call: RunningCall<PollAdapter>,
  message: MessageShape<DescMessage>,
  hub: FeedHub,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { signal } = call.context;
  let wake: (() => void) | undefined;
  const onReady = () => wake?.();
  const watcher = await hub.watch({ call, message, onReady });
  signal.addEventListener("abort", onReady, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const bytes = watcher.take();
      if (bytes !== undefined) {
        yield bytes;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } catch (error) {
    throw withResume(call.errorOf(error), watcher.position);
  } finally {
    signal.removeEventListener("abort", onReady);
    watcher.leave();
  }
}
