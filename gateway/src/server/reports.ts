import { codeToString } from "@connectrpc/connect/protocol-connect";
import { outcomeOf } from "../call/outcome.ts";
import { logCall } from "../log/call-log.ts";
import type { Logger } from "../log/logger.ts";
import { createRefusalLog } from "../log/refusal-log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { CallOptions } from "../rpc/call-options.ts";

/** What is logged and counted of calls and requests. */
export interface Reports extends Pick<CallOptions, "onRejected" | "onRefused" | "onError" | "onDone"> {
  /** Notified of the limit that something was beyond. */
  readonly onLimit: (limit: string) => void;
}

/** Logs calls and defects, and counts calls and refusals. */
export function createReports(log: Logger, metrics: Metrics): Reports {
  const logRefusal = createRefusalLog(log);
  const onLimit = (limit: string) => {
    metrics.refused(limit);
    logRefusal(limit);
  };
  const onRefused: CallOptions["onRefused"] = (call, { limit, error }) => {
    const code = codeToString(error.code);
    call.trace.end(code);
    metrics.called(call, code);
    onLimit(limit);
  };
  return {
    onLimit,
    onRejected: (status) => metrics.rejected(status),
    onRefused,
    onError: (error) => reportError(log, error, "request failed"),
    onDone: (call, status, defect) => {
      if (call.refused !== undefined) {
        onRefused(call, call.refused);
        return;
      }
      const outcome = outcomeOf(call, status, defect);
      call.trace.end(outcome.code);
      metrics.called(call, outcome.code);
      logCall(log, call, outcome);
    },
  };
}

export function reportError(log: Logger, error: unknown, text: string): void {
  log.error({ cause: error instanceof Error ? error.stack : String(error) }, text);
}
