import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { valueAt } from "connect-rest-codec/internal";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { RunningCall } from "../call/running-call.ts";
import type { ReadResponse } from "../response/read-response.ts";
import { sleep } from "../time/abort.ts";
import { Pacer, paced } from "../time/pacer.ts";
import { conditional, tagOf } from "./conditional.ts";
import { waitAfterFailure } from "./failure-backoff.ts";
import { itemKey } from "./item-key.ts";
import { askedInterval } from "./poll-interval.ts";
import { SeenKeys } from "./seen-keys.ts";

/**
 * What is new in a feed, oldest first, by conditional polling (RFC 9110 section 13.1.2). Polls keep the distance
 * that the upstream asks for. Errors that pass are waited out; others end the stream.
 */
export async function* poll(
  call: RunningCall<PollAdapter>,
  message: MessageShape<DescMessage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const feed = new Feed(call, call.request(message));
  const ends = AbortSignal.any([call.context.signal, call.route.upstream.closing]);
  const pacer = new Pacer(ends);
  for (;;) {
    const startedAt = call.clock.monotonic();
    const { items, waitMs } = await feed.poll();
    yield* paced(items, pacer);
    const elapsed = call.clock.monotonic() - startedAt;
    if (elapsed < waitMs) await sleep(waitMs - elapsed, call.clock, ends);
  }
}

interface Polled {
  readonly items: ReadonlyArray<Uint8Array<ArrayBuffer>>;
  /** How long to wait between this poll and the next. */
  readonly waitMs: number;
}

class Feed {
  private readonly call: RunningCall<PollAdapter>;
  private readonly request: RestRequest;
  private readonly rules: MethodRules;
  private readonly seen = new SeenKeys();
  private etag: string | undefined;
  private intervalMs: number;
  private skip: boolean;
  /** In a row. */
  private failures = 0;

  constructor(call: RunningCall<PollAdapter>, request: RestRequest) {
    const { rules, intervalMs, skipBacklog } = call.adapter;
    this.call = call;
    this.request = request;
    this.rules = { ...rules, success: [...rules.success, 304] };
    this.intervalMs = intervalMs;
    this.skip = skipBacklog;
  }

  /** @throws ConnectError that is not worth another try, or the reason of the signal */
  async poll(): Promise<Polled> {
    try {
      // the next poll is the next attempt
      const extras = { rules: this.rules, retry: false };
      const response = await this.call.send(conditional(this.request, this.etag), extras);
      this.intervalMs = this.intervalOf(response);
      this.etag = tagOf(response) ?? (response.status === 304 ? this.etag : undefined);
      const items = response.status === 304 ? [] : await this.news(response);
      this.failures = 0;
      return { items, waitMs: this.intervalMs };
    } catch (error) {
      const { intervalMs } = this;
      const waitMs = waitAfterFailure({ error, intervalMs, failures: this.failures++ });
      if (waitMs === undefined) throw error;
      return { items: [], waitMs };
    }
  }

  private intervalOf(response: ReadResponse): number {
    const { intervalHeader, intervalMs } = this.call.adapter;
    return askedInterval(response.header, intervalHeader) ?? intervalMs;
  }

  private async news(response: ReadResponse): Promise<ReadonlyArray<Uint8Array<ArrayBuffer>>> {
    const { items, key } = this.call.adapter;
    const page = this.call.page(response, [items]);
    const keys = page.items.map((_item, index) =>
      itemKey(
        page.pick(({ items }) => valueAt(items[index], key)),
        page.items[index],
      ),
    );
    const indices = this.seen.news(keys).reverse();
    const { skip } = this;
    this.skip = false;
    return await this.call.items(page, response, skip ? [] : indices);
  }
}
