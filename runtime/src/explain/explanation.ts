import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Difference } from "connect-rest-codec/internal";
import { fullName } from "../text/full-name.ts";
import { visibleText } from "../text/safe-text.ts";
import { curlCommand } from "./curl.ts";
import type { ExplainedHeader, ExplainedRequest } from "./explained.ts";

type Content = Omit<Explanation, "toString" | "toCurl" | "toJSON">;

/**
 * The HTTP requests of a call, and what the runtime found in the responses. Texts contain neither credentials
 * nor values of fields marked `redact`; `[secret]` takes their place.
 */
export class Explanation {
  readonly method: DescMethod;
  readonly upstream: string;
  /** Whether the requests were sent. False for a dry run. */
  readonly isSent: boolean;
  /** The requests in the order in which they began: pages, polls, redirects and retries. */
  readonly requests: readonly ExplainedRequest[];
  /**
   * How the last response was decoded: by the WebAssembly scanner, or by the JavaScript decoder, which
   * produces the same result. Undefined for a dry run and for a failed call.
   */
  readonly readBy: "scanner" | "decoder" | undefined;
  /** The differences between the responses and their description. */
  readonly differences: readonly Difference[];
  /** The error of the call. Undefined if the call succeeded or was not sent. */
  readonly error: ConnectError | undefined;

  constructor(parts: Content) {
    this.method = parts.method;
    this.upstream = parts.upstream;
    this.isSent = parts.isSent;
    this.requests = parts.requests;
    this.readBy = parts.readBy;
    this.differences = parts.differences;
    this.error = parts.error;
  }

  /**
   * Returns the explanation as text, in several lines.
   *
   * @param isSent whether the text describes requests that are sent. Default: whether the requests were sent.
   */
  toString(isSent = this.isSent): string {
    return textOf({ ...this, isSent });
  }

  /**
   * Returns a curl command for each request, separated by blank lines. Shell variables, e.g.
   * `$HEADER_AUTHORIZATION`, replace hidden values.
   */
  toCurl(): string {
    return this.requests.map(curlCommand).join("\n\n");
  }

  toJSON(): object {
    const { method, upstream, isSent, requests, readBy, differences, error } = this;
    return {
      method: fullName(method),
      upstream,
      isSent,
      requests,
      readBy,
      differences,
      error: error && { code: Code[error.code], message: error.rawMessage },
    };
  }
}

/** Returns an explanation as text, in the notation of HTTP messages. */
function textOf({ method, upstream, isSent, requests, readBy, differences, error }: Content): string {
  const lines = [`${fullName(method)} calls the upstream "${upstream}"${isSent ? "" : " (not sent)"}`];
  for (const request of requests) lines.push("", ...requestLines(request));
  if (readBy !== undefined) lines.push("", `decoded by the ${readBy}`);
  for (const { class: kind, path, expected, got } of differences) {
    lines.push(`${kind}: ${path}: expected ${expected}, got ${got}`);
  }
  if (error !== undefined) lines.push("", `error: ${Code[error.code]}: ${error.rawMessage}`);
  return `${visibleText(lines.join("\n"))}\n`;
}

function requestLines({ verb, url, headers, body, credentials, isRetry, response }: ExplainedRequest) {
  const lines = [`> ${verb} ${url}${isRetry ? " (retry)" : ""}`, ...headerLines(">", headers)];
  if (credentials === "unknown") lines.push("> (credentials are added when the call is sent)");
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
