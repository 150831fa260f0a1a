import type { Explanation } from "connect-rest-runtime/explain";
import { isReadOnly } from "../explain/read-only.ts";
import { type DescribedMethod, describedMethod, headersIn, type RequestOptions } from "./described-method.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { printText } from "./output.ts";
import { printableJson } from "./printable-json.ts";

export interface ExplainOptions extends RequestOptions {
  readonly send?: boolean;
  readonly yes?: boolean;
  readonly format: "text" | "curl" | "json";
}

/** Runs `connect-rest explain`: prints the HTTP request that a call becomes. */
export async function explain(name: string, options: ExplainOptions): Promise<void> {
  const described = await describedMethod(name, options, options.send === true);
  try {
    const explanation = await explained(described, options);
    printText(`${shown(explanation, options.format).trimEnd()}\n`);
    if (explanation.error !== undefined) process.exitCode = EXIT_STATUS.failure;
  } finally {
    await described.close();
  }
}

async function explained(
  { method, rest, messages }: DescribedMethod,
  options: ExplainOptions,
): Promise<Explanation> {
  const [message] = messages;
  if (message === undefined) throw new Error("--data has no message");
  const { send, yes, deadline } = options;
  const context = { header: headersIn(options), timeoutMs: deadline };
  const dry = await rest.explain(method, message, context);
  if (send !== true || dry.error !== undefined) return dry;
  const [request] = dry.requests;
  if (yes !== true && request !== undefined && !isReadOnly(method, request.verb)) {
    throw new Error(`${request.verb} ${request.url} may change data; add --yes to send it`);
  }
  return await rest.explain(method, message, { ...context, send: true });
}

function shown(explanation: Explanation, format: ExplainOptions["format"]): string {
  if (format === "json") return printableJson(JSON.stringify(explanation, null, 2));
  return format === "curl" ? explanation.toCurl() : explanation.toString();
}
