import type { Clock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import type { BreakerSettings } from "./breaker-options.ts";
import { Circuit, type CircuitState, type Finding, PROBE_MS } from "./circuit.ts";
import { ConcurrencyLimit, type Load } from "./concurrency-limit.ts";
import { Latencies } from "./latencies.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** The state of a circuit. In `half_open`, probes are running. */
export type BreakerState = CircuitState;

/** A state change of a circuit breaker, or of one caller's circuit in the breaker. */
export interface BreakerReport {
  readonly upstream: string;
  /** The scheme, host and port of the base address. */
  readonly origin: string;
  readonly state: BreakerState;
  /** The duration for which the circuit stays open. Undefined in other states. */
  readonly cooldownMs: number | undefined;
  /**
   * The caller to which the circuit belongs; only requests of this caller are rejected. Undefined for the
   * circuit of all callers.
   */
  readonly caller?: string | undefined;
}

/** Permission for one request. `end` must be called exactly once, for any outcome. */
export interface Permit {
  /** Called whenever a request is sent, including requests to redirect targets. */
  sent(): void;
  /** @param error the error of the request, or undefined after a success */
  end(error: unknown): void;
}

/** The caller and the method of a request. */
export interface RequestOrigin {
  /**
   * The caller. Undefined if there is only one caller; every failure then counts for the circuit of all
   * callers.
   */
  readonly caller?: string | undefined;
  readonly method?: string | undefined;
  /** Returns a signal that ends the wait for a turn. */
  readonly signal?: (() => AbortSignal) | undefined;
}

/** The permit of an upstream without a circuit breaker. */
export const UNWATCHED: Permit = { sent: () => undefined, end: () => undefined };

/**
 * The maximum number of callers whose failures are remembered. Above this number, the oldest caller is
 * forgotten, which closes its circuit.
 */
const MAX_CALLERS = 1000;

const NEVER = () => new AbortController().signal;

/** The number of running and waiting requests at an origin of an upstream, and its current limit. */
export type OriginLoad = BreakerPlace & Load;

/** The origin that a breaker protects. */
export interface BreakerPlace {
  readonly upstream: string;
  readonly origin: string;
}

/**
 * Protects an origin from requests that would fail, and callers from the failures of other callers. Failures
 * that a caller can cause count against that caller: only an unreachable origin opens the circuit of all
 * callers. 5xx responses, timeouts and broken connections open their caller's circuit, and lower the number
 * of concurrent requests at the origin. If there is only one caller, every failure counts for the same
 * circuit. A breaker does no I/O and has no timers; it reads the clock when a request asks for admission.
 */
export class Breaker {
  private readonly place: BreakerPlace;
  private readonly settings: BreakerSettings;
  private readonly clock: Clock;
  private readonly onChange: (report: BreakerReport) => void;
  private readonly latencies = new Latencies();
  private readonly ofAll: Circuit;
  /** The circuits of callers whose requests failed recently. */
  private readonly ofCallers = new Map<string, Circuit>();
  private readonly limit: ConcurrencyLimit;

  constructor(
    place: BreakerPlace,
    settings: BreakerSettings,
    clock: Clock,
    onChange: (report: BreakerReport) => void,
  ) {
    this.place = place;
    this.settings = settings;
    this.clock = clock;
    this.onChange = onChange;
    this.ofAll = this.circuit(undefined);
    this.limit = new ConcurrencyLimit(settings);
  }

  /**
   * Admits a request, immediately or once its turn has come.
   *
   * @throws ConnectError UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN, with a google.rpc.RetryInfo
   */
  admit({ caller, method = "", signal = NEVER }: RequestOrigin = {}): Permit | Promise<Permit> {
    this.check(caller);
    if (caller === undefined) return this.permit(undefined, method, 0);
    if (this.limit.isFull(caller)) throw this.rejected(PROBE_MS);
    const entered = this.limit.enter(caller, signal);
    if (typeof entered === "number") return this.permit(caller, method, entered);
    return entered.then((number) => {
      try {
        // a circuit may have opened during the wait
        this.check(caller);
      } catch (error) {
        this.limit.leave(caller, number, undefined);
        throw error;
      }
      return this.permit(caller, method, number);
    });
  }

  /** The current number of requests of all callers. Requests are not counted if there is only one caller. */
  get load(): OriginLoad {
    return { ...this.place, ...this.limit.load };
  }

  private check(caller: string | undefined): void {
    const own = caller === undefined ? undefined : this.ofCallers.get(caller)?.waitMs(caller);
    const waitMs = own ?? this.ofAll.waitMs(caller ?? "");
    if (waitMs !== undefined) throw this.rejected(waitMs);
  }

  private permit(caller: string | undefined, method: string, number: number): Permit {
    const era = this.ofAll.begin(caller ?? "");
    const ownEra = caller === undefined ? undefined : this.ofCallers.get(caller)?.begin(caller);
    let sentAt: number | undefined;
    let hasResponse = false;
    return {
      sent: () => {
        hasResponse = sentAt !== undefined;
        sentAt = this.clock.monotonic();
      },
      end: (error) => {
        const ms = sentAt === undefined ? undefined : this.clock.monotonic() - sentAt;
        if (error === undefined && ms !== undefined) this.latencies.add(method, ms);
        const found = error === undefined ? "works" : this.verdict(error, method, ms);
        // after a response, the unreachable address is a redirect target, which the upstream or caller chose
        const verdict = found === "unreachable" && hasResponse ? "fails" : found;
        this.ofAll.end(era, caller ?? "", caller === undefined ? asFinding(verdict) : reached(verdict));
        if (caller !== undefined) this.ended(caller, number, ownEra, verdict);
      },
    };
  }

  private verdict(error: unknown, method: string, ms: number | undefined): Verdict {
    if (ms === undefined) return "nothing";
    const verdict = verdictOf(error);
    if (verdict !== "late") return verdict;
    return this.latencies.isLate(method, ms) ? "late" : "nothing";
  }

  /** Ends a request when there are several callers. */
  private ended(caller: string, number: number, era: number | undefined, verdict: Verdict): void {
    const finding = verdict === "unreachable" ? "nothing" : asFinding(verdict);
    this.limit.leave(caller, number, finding === "nothing" ? undefined : finding === "fails");
    const circuit = this.ofCallers.get(caller) ?? (finding === "fails" ? this.remember(caller) : undefined);
    circuit?.end(era ?? 0, caller, finding);
    if (circuit?.isIdle === true) this.ofCallers.delete(caller);
  }

  private remember(caller: string): Circuit {
    const circuit = this.circuit(caller);
    this.ofCallers.set(caller, circuit);
    const [oldest] = this.ofCallers.keys();
    if (this.ofCallers.size > MAX_CALLERS && oldest !== undefined) this.ofCallers.delete(oldest);
    return circuit;
  }

  private circuit(caller: string | undefined): Circuit {
    return new Circuit(this.settings, this.clock, (state, cooldownMs) =>
      this.onChange({ ...this.place, state, cooldownMs, ...(caller === undefined ? {} : { caller }) }),
    );
  }

  private rejected(waitMs: number): Error {
    const delay = Math.ceil(waitMs);
    const { upstream } = this.place;
    return restError("UPSTREAM_CIRCUIT_OPEN", { upstream, delay }, { details: [retryInfo(delay)] });
  }
}

function asFinding(verdict: Verdict): Finding {
  return verdict === "works" || verdict === "nothing" ? verdict : "fails";
}

/**
 * Converts a verdict to a finding about whether the origin is reachable. A missed deadline is inconclusive.
 */
function reached(verdict: Verdict): Finding {
  if (verdict === "unreachable") return "fails";
  return verdict === "late" || verdict === "nothing" ? "nothing" : "works";
}
