import type { RequestObserver, RequestReport } from "connect-rest-runtime";
import { currentCall } from "../call/call.ts";
import { outcomeOfRequest } from "../trace/request-outcome.ts";
import { startRequestTrace } from "../trace/request-trace.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Counts, times and traces one request to an upstream.
 *
 * @param sendsTrace whether the request carries the trace context of its call
 */
export function observeRequest(
  report: RequestReport,
  metrics: Metrics,
  sendsTrace: boolean,
): RequestObserver {
  const call = currentCall();
  if (call !== undefined) {
    call.requests += 1;
    if (report.isRetry) call.retries += 1;
  }
  const startedAt = performance.now();
  const trace = startRequestTrace(call, report);
  return {
    headers: sendsTrace ? trace.headers : undefined,
    run: trace.run,
    onEnd: (end) => {
      // records the status of the last response: if a stream ends between two pages, there was a response
      // before
      if (call !== undefined && end.status !== undefined) call.upstreamStatus = end.status;
      metrics.requested(report, outcomeOfRequest(end), performance.now() - startedAt);
      trace.end(end);
    },
  };
}
