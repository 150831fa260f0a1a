import { Code } from "@connectrpc/connect";
import { KNOWN_STATUSES, meaningOf } from "../errors/status.ts";

/** When a response is retried: always, only if it states a retry delay, or never. */
export interface RetriedStatus {
  readonly status: number;
  readonly code: Code;
  readonly retried: "always" | "with a delay" | "never";
}

/** Statuses that stand for all other statuses of their range, such as the range that CDNs use. */
const RANGE_STATUSES = [307, 418, 520, 599] as const;

/**
 * Whether an idempotent request is retried after each status, if no rule of the method applies. If a rule
 * applies, the code that it assigns decides, not the status: if a rule maps 403 to RESOURCE_EXHAUSTED, a 403
 * is retried like a rate limit.
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
