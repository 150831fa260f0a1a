import type { Clock } from "connect-rest-codec/internal";
import type { Requester } from "../http/requester.ts";
import type { Secret } from "../text/secret.ts";
import type { ExplainedRequest } from "./explained.ts";
import { type Origin, TracedRequest } from "./traced-request.ts";

/** The maximum number of requests in an explanation. Later requests of a long call are omitted. */
const MAX_REQUESTS = 100;

/** Ends a dry run in place of its first request. */
export class DryRun extends Error {
  constructor() {
    super("the request of a dry run is not sent");
    this.name = "DryRun";
  }
}

/** Observes the requests of a call. */
export interface RequestTrace {
  /** Whether requests are observed without being sent. */
  readonly isDry: boolean;
  /**
   * Returns a requester that observes a request, and sends it with `requester`, except in a dry run.
   *
   * @param credentials the kind of credentials in the request
   */
  through(requester: Requester, origin: Origin, credentials: string): Requester;
}

/** Records the requests of an explained call. */
export class CallTrace implements RequestTrace {
  readonly isDry: boolean;
  private readonly clock: Clock;
  private readonly traced: TracedRequest[] = [];

  constructor(isDry: boolean, clock: Clock) {
    this.isDry = isDry;
    this.clock = clock;
  }

  through(requester: Requester, origin: Origin, credentials: string): Requester {
    return {
      dispatch: (sent, handler) => {
        const traced = new TracedRequest({ sent, handler, origin, credentials }, this.clock);
        if (this.traced.length < MAX_REQUESTS) this.traced.push(traced);
        if (this.isDry) throw new DryRun();
        return requester.dispatch(sent, traced);
      },
    };
  }

  /** Returns the requests so far, without secrets. */
  requests(secrets: readonly Secret[]): ExplainedRequest[] {
    return this.traced.map((each) => each.explained(secrets));
  }
}
