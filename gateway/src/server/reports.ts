import { codeToString } from "@connectrpc/connect/protocol-connect";
import { outcomeOf } from "../call/outcome.ts";
import type { RecentFailures } from "../console/recent-failures.ts";
import { logCall } from "../log/call-log.ts";
import type { Logger } from "../log/logger.ts";
import { createRejectionLog } from "../log/rejection-log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { CallOptions } from "../rpc/call-options.ts";

/** Callbacks that log and count calls and requests. */
export interface Reports extends Pick<CallOptions, "onRejected" | "onOverLimit" | "onError" | "onDone"> {
  /** Receives the name of each limit that is exceeded. */
  readonly onLimit: (limit: string) => void;
}

/**
 * Creates callbacks that log calls and defects, and count calls and rejections.
 *
 * @param failures receives failed calls; undefined if the console is not served
 */
export function createReports(log: Logger, metrics: Metrics, failures: RecentFailures | undefined): Reports {
  const logRejection = createRejectionLog(log);
  const onLimit = (limit: string) => {
    metrics.overLimit(limit);
    logRejection(limit);
  };
  const onOverLimit: CallOptions["onOverLimit"] = (call, { limit, error }) => {
    const code = codeToString(error.code);
    call.trace.end(code);
    metrics.called(call, code);
    failures?.add(call, { code, reason: error });
    onLimit(limit);
  };
  return {
    onLimit,
    onRejected: (status) => metrics.rejected(status),
    onOverLimit,
    onError: (error) => reportError(log, error, "request failed"),
    onDone: (call, status, defect) => {
      if (call.rejected !== undefined) {
        onOverLimit(call, call.rejected);
        return;
      }
      const outcome = outcomeOf(call, status, defect);
      call.trace.end(outcome.code);
      metrics.called(call, outcome.code);
      failures?.add(call, outcome);
      logCall(log, call, outcome);
    },
  };
}

export function reportError(log: Logger, error: unknown, text: string): void {
  log.error({ cause: error instanceof Error ? error.stack : String(error) }, text);
}
