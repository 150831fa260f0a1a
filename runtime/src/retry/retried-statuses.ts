import { Code } from "@connectrpc/connect";
import { KNOWN_STATUSES, meaningOf } from "../errors/status.ts";

/** Whether a response is retried: always, if it says when to retry, or never. */
export interface RetriedStatus {
  readonly status: number;
  readonly code: Code;
  readonly retried: "always" | "with a delay" | "never";
}

/** Statuses without their own meaning that represent their range: CDNs, and other 4xx and 5xx. */
const RANGE_STATUSES = [307, 418, 520, 599] as const;

/**
 * Whether an idempotent request is retried after each status, if no rule of the method applies. The code of
 * the error decides, not the status: a rule that maps a 403 to RESOURCE_EXHAUSTED makes it a rate limit.
 */
export const RETRIED_STATUSES: readonly RetriedStatus[] = [...KNOWN_STATUSES, ...RANGE_STATUSES].map(
  (status) => {
    const { code } = meaningOf(status);
    return { status, code, retried: retriedBy(code) };
  },
);

function retriedBy(code: Code): RetriedStatus["retried"] {
  if (code === Code.Unavailable) return "always";
  return code === Code.ResourceExhausted ? "with a delay" : "never";
}
