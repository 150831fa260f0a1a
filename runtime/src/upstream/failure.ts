import type { ConnectError } from "@connectrpc/connect";
import { whileConnecting } from "../breaker/verdict.ts";
import { restError } from "../errors/rest-error.ts";
import type { DecompressError } from "../http/decompress.ts";
import {
  BodyTooLarge,
  type ExchangeFailed,
  MAX_INTERIM_RESPONSES,
  TooManyInterimResponses,
} from "../http/exchange.ts";
import { FetchMisbehaved } from "../http/fetch-dispatcher.ts";
import type { Connections } from "./connections.ts";
import type { UpstreamSettings } from "./options.ts";
import { codeAmong, isTlsRejection, proxyRejection, suppliedFailure } from "./supplied-failure.ts";
import { ProxyFailed } from "./tunnel.ts";

/** The failed upstream and its limits, for the error message. */
export interface FailureContext {
  readonly upstream: string;
  readonly settings: UpstreamSettings;
  /** The kind of client that sent the request. */
  readonly client: Connections["kind"];
}

/** Returns the error for an exchange without a complete response. */
export function exchangeError(failed: ExchangeFailed, context: FailureContext): ConnectError {
  const { upstream, settings, client } = context;
  const { cause, responded, sent } = failed;
  const timeout = (part: string, limit: number) =>
    restError("UPSTREAM_TIMEOUT", { upstream, part, limit: `${limit} ms` }, { cause });
  if (cause instanceof BodyTooLarge) return tooLarge(upstream, settings, cause);
  if (cause instanceof TooManyInterimResponses) {
    return restError("UPSTREAM_INTERIM_RESPONSES", { upstream, limit: MAX_INTERIM_RESPONSES }, { cause });
  }
  if (cause instanceof ProxyFailed) return proxyError(cause, context);
  if (client !== "own" && (!responded || cause instanceof FetchMisbehaved)) {
    const failure = suppliedFailure(cause, upstream, client);
    if (failure !== undefined) return failure;
  }
  const code = client === "own" ? codeOf(cause) : codeAmong(cause);
  switch (code) {
    case "REDIRECT_PRIVATE": {
      const problem = "a private address after a public one";
      return restError("REDIRECT_REFUSED", { upstream, method: "the call", problem }, { cause });
    }
    case "UND_ERR_HEADERS_TIMEOUT":
      return timeout("the response head", settings.headersTimeoutMs);
    case "UND_ERR_BODY_TIMEOUT":
      return timeout("more of the body", settings.bodyTimeoutMs);
    case "UND_ERR_HEADERS_OVERFLOW":
    case "HPE_HEADER_OVERFLOW":
      return restError("UPSTREAM_HEADERS_TOO_LARGE", { upstream, limit: settings.maxHeaderBytes }, { cause });
    case "UND_ERR_CONNECT_TIMEOUT":
      return whileConnecting(timeout("a connection", settings.connectTimeoutMs));
    case "UND_ERR_CLOSED":
    case "UND_ERR_DESTROYED":
      return restError("UPSTREAM_CLOSED", { upstream }, { cause });
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      return restError("REQUEST_NOT_HTTP", { upstream, problem: messageOf(cause) }, { cause });
  }
  if (responded) return restError("UPSTREAM_TRUNCATED", { upstream }, { cause });
  if (code.startsWith("HPE_")) return restError("UPSTREAM_NOT_HTTP", { upstream }, { cause });
  if (sent && !isTlsRejection(code)) return restError("UPSTREAM_RESET", { upstream }, { cause });
  // contains only the code, since messages may contain addresses, which callers must not see
  return unreachable(upstream, code === "" ? "an error" : code, cause);
}

/** Returns the error for a proxy that did not connect. No part of the request has reached the upstream. */
function proxyError(failed: ProxyFailed, { upstream, settings }: FailureContext): ConnectError {
  const { status, cause } = failed;
  if (status !== undefined) return proxyRejection(upstream, status, failed);
  const code = codeOf(cause);
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "UND_ERR_HEADERS_TIMEOUT") {
    const limit = `${settings.connectTimeoutMs} ms`;
    const error = restError("UPSTREAM_TIMEOUT", { upstream, part: "the proxy", limit }, { cause: failed });
    return whileConnecting(error);
  }
  return unreachable(upstream, `the proxy: ${code === "" ? "an error" : code}`, failed);
}

/** Returns the error for a body that cannot be decompressed. */
export function decompressError(
  error: DecompressError,
  { upstream, settings }: FailureContext,
): ConnectError {
  switch (error.kind) {
    case "large":
      return tooLarge(upstream, settings, error);
    case "truncated":
      return restError("UPSTREAM_TRUNCATED", { upstream }, { cause: error });
    case "unknown":
      return restError("UPSTREAM_BODY_ENCODING", { upstream, problem: error.encoding }, { cause: error });
    case "corrupt": {
      const problem = `${error.encoding} that is corrupt`;
      return restError("UPSTREAM_BODY_ENCODING", { upstream, problem }, { cause: error });
    }
  }
}

function tooLarge(upstream: string, settings: UpstreamSettings, cause: unknown): ConnectError {
  return restError("UPSTREAM_BODY_TOO_LARGE", { upstream, limit: settings.maxResponseBytes }, { cause });
}

function unreachable(upstream: string, problem: string, cause: unknown): ConnectError {
  return restError("UPSTREAM_UNREACHABLE", { upstream, problem }, { cause });
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "";
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return code === "" && cause.name === "HTTPParserError" ? "HPE_UNKNOWN" : code;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
