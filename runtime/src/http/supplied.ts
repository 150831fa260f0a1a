import type { Clock } from "connect-rest-codec/internal";
import type { DispatchHandler, DispatchOptions, Requester } from "./requester.ts";
import { SuppliedExchange, type SuppliedLimits } from "./supplied-exchange.ts";

/** Thrown for an exchange that begins after `close` was called. */
class Closed extends Error {
  readonly code = "UND_ERR_CLOSED";
}

/**
 * Wraps a dispatcher from the options. The dispatcher belongs to the program, so the wrapper never closes it.
 * The wrapper guarantees what an upstream relies on: timeouts, a maximum size of response heads, an end of
 * each exchange, and a `close` that waits for running exchanges.
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

  /** Waits for running exchanges. Exchanges that begin later fail. */
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
