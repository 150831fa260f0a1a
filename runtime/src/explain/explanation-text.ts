import { Code } from "@connectrpc/connect";
import { fullName } from "../text/full-name.ts";
import type { Explained, ExplainedHeader, ExplainedRequest } from "./explained.ts";

/** Returns an explanation as text, in the notation of HTTP messages. */
export function explanationText(explained: Explained): string {
  const { method, upstream, isSent, requests, readBy, differences, error } = explained;
  const lines = [`${fullName(method)} calls the upstream "${upstream}"${isSent ? "" : " (not sent)"}`];
  for (const request of requests) lines.push("", ...requestLines(request));
  if (readBy !== undefined) lines.push("", `decoded by the ${readBy}`);
  for (const { class: kind, path, expected, got } of differences) {
    lines.push(`${kind}: ${path}: expected ${expected}, got ${got}`);
  }
  if (error !== undefined) lines.push("", `error: ${Code[error.code]}: ${error.rawMessage}`);
  return `${lines.join("\n")}\n`;
}

function requestLines({ verb, url, headers, body, credentials, isRetry, response }: ExplainedRequest) {
  const lines = [`> ${verb} ${url}${isRetry ? " (retry)" : ""}`, ...headerLines(">", headers)];
  if (credentials === "unknown") lines.push("> (credentials are requested when the call is sent)");
  if (body !== undefined) {
    const size = body.bytes === undefined ? "streamed" : `${body.bytes} bytes`;
    const shown = body.isCut ? `${body.text} (${size})` : body.text;
    lines.push("", shown ?? `(${size})`);
  }
  if (response === undefined) return lines;
  const { status, bytes, headMs, durationMs } = response;
  const time = durationMs === undefined ? `head after ${ms(headMs)}` : ms(durationMs);
  return [...lines, "", `< ${status} (${bytes} bytes, ${time})`, ...headerLines("<", response.headers)];
}

function headerLines(mark: string, headers: readonly ExplainedHeader[]): string[] {
  return headers.map(({ name, value = "(hidden)" }) => `${mark} ${name}: ${value}`);
}

function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`;
}
