import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { PollAdapter } from "../adapter/adapter.ts";
import { aroundItems, feedKeys, itemsOf, pageOf, report } from "../call/messages.ts";
import type { RunningCall } from "../call/running-call.ts";
import { sleepUntil } from "../time/abort.ts";
import { Pacer, paced } from "../time/pacer.ts";
import { NOT_MODIFIED, requestPage, tagOf } from "./page.ts";
import { PollInterval } from "./poll-interval.ts";
import { SeenKeys } from "./seen-keys.ts";

/**
 * Yields the new items of a feed for one caller, oldest first. The interval is measured from the start of
 * each poll. After a temporary error the stream continues; any other error ends it.
 *
 * @throws ConnectError for an error that another poll cannot fix, or the reason of the signal
 */
export async function* poll(
  call: RunningCall<PollAdapter>,
  message: MessageShape<DescMessage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { adapter, clock } = call;
  const interval = new PollInterval(adapter);
  const items = newItems(call, message, interval);
  const ends = AbortSignal.any([call.context.signal, call.route.upstream.closing]);
  const pacer = new Pacer(ends);
  for (;;) {
    const startedAt = clock.monotonic();
    let failure: unknown;
    const found = await items().catch((error: unknown) => {
      failure = error;
      return [];
    });
    const waitMs = interval.waitAfter(failure);
    if (waitMs === undefined) throw failure;
    yield* paced(found, pacer);
    await sleepUntil(() => startedAt + waitMs, clock, ends);
  }
}

/** Returns a function that polls the feed, and resolves to the items that no earlier poll has listed. */
function newItems(
  call: RunningCall<PollAdapter>,
  message: MessageShape<DescMessage>,
  interval: PollInterval,
): () => Promise<ReadonlyArray<Uint8Array<ArrayBuffer>>> {
  const { adapter } = call;
  const request = call.request(message);
  const seen = new SeenKeys();
  let etag: string | undefined;
  let skip = adapter.skipBacklog;
  return async () => {
    const response = await requestPage(call, request, etag);
    interval.responded(response.header);
    const isSame = response.status === NOT_MODIFIED;
    etag = tagOf(response) ?? (isSame ? etag : undefined);
    if (isSame) return [];
    const page = pageOf(call, response, [adapter.items]);
    report(call, aroundItems(call, page, response));
    const keys = feedKeys(call, page);
    const indices = skip ? [] : seen.unseen(keys).reverse();
    skip = false;
    seen.see(keys);
    return await itemsOf(call, page, response, indices);
  };
}
