import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import type { Call } from "../call/call.ts";
import { methodPath } from "../call/method-path.ts";
import type { Outcome } from "../call/outcome.ts";
import { type ConsoleSettings, type Failure, isConsoleServed } from "./options.ts";

/** The number of failures that the console shows. */
export const MAX_FAILURES = 50;

/** The form of the reasons in the tables of errors and in annotations. */
const REASON = /^[A-Z][A-Z0-9_]{0,62}$/;

/** The latest failed calls of a process. */
export class RecentFailures {
  private readonly kept: Failure[] = [];
  /** The index of the oldest failure, once all places are taken. */
  private oldest = 0;

  /** Adds a call unless it succeeded. */
  add({ method, startedAt }: Pick<Call, "method" | "startedAt">, { code, reason: error }: Outcome): void {
    if (code === "ok") return;
    const reason = (error instanceof ConnectError && reasonOf(error)) || "";
    this.kept[this.oldest] = {
      at: Date.now(),
      method: methodPath(method),
      code,
      reason: REASON.test(reason) ? reason : "",
      durationMs: Math.round(performance.now() - startedAt),
    };
    this.oldest = (this.oldest + 1) % MAX_FAILURES;
  }

  /** Returns the failures, the latest first. */
  latest(): Failure[] {
    return latestOf([...this.kept.slice(this.oldest), ...this.kept.slice(0, this.oldest)].reverse());
  }
}

/** Creates the list of failures; undefined if the console is not served. */
export function failuresOf(settings: ConsoleSettings): RecentFailures | undefined {
  return isConsoleServed(settings) ? new RecentFailures() : undefined;
}

/** Returns the latest of the failures of several processes, the latest first. */
export function latestOf(failures: readonly Failure[]): Failure[] {
  return failures.toSorted((one, other) => other.at - one.at).slice(0, MAX_FAILURES);
}
