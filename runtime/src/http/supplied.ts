import type { Clock } from "connect-rest-codec/internal";
import type { DispatchHandler, DispatchOptions, Requester } from "./requester.ts";
import { SuppliedExchange, type SuppliedLimits } from "./supplied-exchange.ts";

/** An exchange that began after `close`. */
class Closed extends Error {
  readonly code = "UND_ERR_CLOSED";
}

/**
 * Wraps a dispatcher that was supplied with the options. Its supplier owns it, so it is never closed here.
 * The wrapper enforces the promises of an upstream: timeouts, the size of heads, an end of each exchange, and
 * a `close` that waits for them.
 */
export class Supplied implements Requester {
  private readonly dispatcher: Requester;
  private readonly limits: SuppliedLimits;
  private readonly clock: Clock;
  private readonly running = new Set<SuppliedExchange>();
  private closing: PromiseWithResolvers<void> | undefined;

  constructor(dispatcher: Requester, limits: SuppliedLimits, clock: Clock) {
    this.dispatcher = dispatcher;
    this.limits = limits;
    this.clock = clock;
  }

  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean {
    const limits = { ...this.limits, bodyTimeoutMs: options.bodyTimeout ?? this.limits.bodyTimeoutMs };
    const exchange = new SuppliedExchange(handler, limits, this.clock, () => this.ended(exchange));
    this.running.add(exchange);
    if (this.closing === undefined) {
      exchange.start(this.dispatcher, options);
    } else {
      exchange.fail(new Closed("closed"));
    }
    return true;
  }

  /** Waits for running exchanges; later ones fail. */
  close(): Promise<void> {
    this.closing ??= Promise.withResolvers();
    if (this.running.size === 0) this.closing.resolve();
    return this.closing.promise;
  }

  private ended(exchange: SuppliedExchange): void {
    this.running.delete(exchange);
    if (this.running.size === 0) this.closing?.resolve();
  }
}
