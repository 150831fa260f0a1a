/** The explanations that `rest.explain` returns. */
export type { ExplainOptions } from "./call/call-options.ts";
export type {
  ExplainedBody,
  ExplainedHeader,
  ExplainedRequest,
  ExplainedResponse,
} from "./explain/explained.ts";
export type { Explanation } from "./explain/explanation.ts";
