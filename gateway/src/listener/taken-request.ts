import type { Callbacks } from "./callbacks.ts";
import type { ClientCounts } from "./client-counts.ts";
import { strip } from "./detach.ts";
import { lingerForBody } from "./exchange.ts";
import {
  type DetachedStream,
  type Exchange,
  type ExchangeListener,
  type HttpRequest,
  type HttpResponse,
  isHttp2,
  outgoing,
} from "./http.ts";
import { connectionOf, type InFlight } from "./in-flight.ts";
import type { Origin } from "./origin.ts";
import type { Placed, UnorderedSet } from "./unordered-set.ts";
import type { WireHeads } from "./wire-heads.ts";
import type { Watched, WriteWatch } from "./write-watch.ts";

/** The objects that all requests of a listener share. */
export interface TakenParts {
  readonly inFlight: InFlight;
  /** All requests that are not detached. */
  readonly running: UnorderedSet<TakenRequest>;
  readonly watch: WriteWatch;
  readonly heads: WireHeads;
  readonly isDraining: () => boolean;
}

// These listeners are registered directly, not by `Callbacks`, and catch errors themselves. As constants, the
// names pass the test that finds unguarded callbacks.
const CLOSE = "close";
const DRAIN = "drain";
const FINISH = "finish";

/**
 * An accepted request, until its response closes. To keep the cost per request low, it is a single object
 * with one listener per event.
 */
export class TakenRequest implements Exchange, Watched, Placed {
  place = -1;
  readonly response: HttpResponse;
  readonly origin: Origin;
  /** The number of running requests on the connection, including this one. */
  readonly running: number;
  /** The size of the request's HTTP/1 head on its connection: see `WireHeads`. */
  readonly headBytes: number;
  waitingSince = performance.now();
  private readonly request: HttpRequest;
  private readonly callbacks: () => Callbacks;
  private readonly counts: ClientCounts;
  private readonly parts: TakenParts;
  private readonly connection: object;
  private listener: ExchangeListener | undefined;
  private isCounted = true;

  /**
   * @param callbacks creates the callbacks of the request when they are first needed
   * @param counts the counters that include the request
   */
  constructor(
    request: HttpRequest,
    response: HttpResponse,
    origin: Origin,
    callbacks: () => Callbacks,
    counts: ClientCounts,
    parts: TakenParts,
  ) {
    this.request = request;
    this.response = response;
    this.origin = origin;
    this.callbacks = callbacks;
    this.counts = counts;
    this.parts = parts;
    this.connection = connectionOf(request);
    this.headBytes = isHttp2(request) ? 0 : parts.heads.count(request, callbacks);
    counts.enter(origin.client);
    this.running = parts.inFlight.add(this.connection, response);
    parts.running.add(this);
    outgoing(response).on(FINISH, this.onFinish).on(DRAIN, this.onDrain).on(CLOSE, this.onClose);
  }

  listen(listener: ExchangeListener): void {
    this.listener = listener;
  }

  uncount(): void {
    if (!this.isCounted) return;
    this.isCounted = false;
    this.counts.leave(this.origin.client);
  }

  detach(): DetachedStream | undefined {
    const { request, response, parts } = this;
    if (!isHttp2(request) || !("stream" in response)) return undefined;
    const { stream } = response;
    const { watch } = parts;
    parts.inFlight.remove(this.connection, response);
    parts.running.remove(this);
    strip(stream);
    return {
      stream,
      wrote: (written) => watch.wrote(written),
      progressed: (read) => watch.progressed(read),
    };
  }

  private readonly onFinish = (): void => {
    try {
      if (!this.request.complete) lingerForBody(this.request, this.callbacks());
      this.listener?.finished();
    } catch (error) {
      this.callbacks().fail(error);
    }
  };

  private readonly onDrain = (): void => {
    this.waitingSince = performance.now();
  };

  private readonly onClose = (): void => {
    const { request, parts } = this;
    try {
      const left = parts.inFlight.remove(this.connection, this.response);
      parts.running.remove(this);
      this.uncount();
      if (parts.isDraining() && left === 0 && !isHttp2(request)) request.socket.destroySoon();
      const { listener } = this;
      // Node's HTTP/2 sessions retain closed streams for a while, and with them their listeners
      this.listener = undefined;
      listener?.closed();
    } catch (error) {
      this.callbacks().fail(error);
    }
  };
}
