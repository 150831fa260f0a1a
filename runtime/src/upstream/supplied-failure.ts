import type { ConnectError } from "@connectrpc/connect";
import { whileConnecting } from "../breaker/verdict.ts";
import { restError } from "../errors/rest-error.ts";
import { FetchMisbehaved } from "../http/fetch-dispatcher.ts";

/** The maximum length of a chain of causes, since libraries wrap the errors of other libraries. */
const MAX_CAUSES = 5;

/** Matches the codes of errors in name resolution, the connection, or TLS, after which nothing was sent. */
const NOT_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM|EMFILE|ENFILE|ENOBUFS|ConnectionRefused|FailedToOpenSocket|DNS_\w+|UND_ERR_PRX_\w+|UND_ERR_MAX_ORIGINS_REACHED|UND_ERR_BPL_MISSING_UPSTREAM)$/;

/**
 * Matches the codes of errors in TLS: certificates (X509_V_ERR_…, as Node.js names them), names, and alerts
 * that reject the handshake.
 */
const NO_TLS =
  /^(?:CERT_\w+|CRL_\w+|\w+_SELF_SIGNED_CERT|SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|ERROR_IN_CERT_\w+|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERR_TLS_CERT_\w+|ERR_TLS_HANDSHAKE_\w+|EPROTO|ERR_SSL_(?:WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|\w*ALERT_(?:HANDSHAKE_FAILURE|PROTOCOL_VERSION|UNRECOGNIZED_NAME|INSUFFICIENT_SECURITY|NO_APPLICATION_PROTOCOL|UNKNOWN_CA|ACCESS_DENIED|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE)))$/;

/** Matches the codes of connections that ended before the response. The request may have arrived. */
const RESET =
  /^(?:ECONNRESET|EPIPE|ECONNABORTED|ENOTCONN|ESHUTDOWN|ERR_STREAM_\w+|ERR_HTTP2_\w+|UND_ERR_SOCKET|UND_ERR_ABORT(?:ED)?|UND_ERR_INFO|ConnectionClosed|ABORT_ERR)$/;

const CONNECT_TIMEOUT = /^(?:UND_ERR_CONNECT_TIMEOUT|ERR_TLS_HANDSHAKE_TIMEOUT)$/;

/** Matches the names of timeout errors without a code. */
const TIMEOUT = /^(?:TimeoutError|ESOCKETTIMEDOUT|ETIMEDOUT|UND_ERR_REQ_TIMEOUT)$/;

/** Matches codes whose meaning does not depend on the client. */
const COMMON = /^(?:UND_ERR_|HPE_)/;

/** Matches the messages of undici's ProxyAgent, which reports the status of the proxy only there. */
const PROXY_STATUS = /^Proxy response \((\d{3})\)|^Proxy Authentication Required \((\d{3})\)/;

/**
 * Returns the error for a failure of a supplied dispatcher or `fetch` before a response. Returns undefined
 * for codes whose meaning does not depend on the client. Unless the error states it, it is unknown whether
 * the request arrived.
 */
export function suppliedFailure(
  cause: unknown,
  upstream: string,
  client: "dispatcher" | "fetch",
): ConnectError | undefined {
  const extras = { cause };
  if (cause instanceof FetchMisbehaved) {
    return restError("UPSTREAM_CLIENT_FAILED", { upstream, client, problem: cause.message }, extras);
  }
  const chain = causesOf(cause);
  const limit = `a time of the ${client} itself`;
  const proxyStatus = chain.map(({ text }) => PROXY_STATUS.exec(text)).find((match) => match !== null);
  if (proxyStatus !== undefined) {
    return proxyRejection(upstream, Number(proxyStatus[1] ?? proxyStatus[2]), cause);
  }
  for (const { name, isConnecting } of chain) {
    if (name.startsWith("UND_MOCK_ERR")) {
      const problem = "there is no mock for the request";
      return restError("UPSTREAM_CLIENT_FAILED", { upstream, client, problem }, extras);
    }
    if (CONNECT_TIMEOUT.test(name) || (name === "ETIMEDOUT" && isConnecting)) {
      return whileConnecting(
        restError("UPSTREAM_TIMEOUT", { upstream, limit, part: "a connection" }, extras),
      );
    }
    if (NOT_CONNECTED.test(name) || NO_TLS.test(name) || (name === "ECONNRESET" && isConnecting)) {
      return restError("UPSTREAM_UNREACHABLE", { upstream, problem: name }, extras);
    }
    if (TIMEOUT.test(name)) {
      return restError("UPSTREAM_TIMEOUT", { upstream, limit, part: "the response" }, extras);
    }
    if (RESET.test(name)) return restError("UPSTREAM_RESET", { upstream }, extras);
    // the connection is closed, the response is not HTTP, or a limit is exceeded: every client reports these
    // failures in the same way
    if (COMMON.test(name)) return undefined;
  }
  const problem = chain.map(({ name }) => name).find((name) => name !== "Error" && name !== "TypeError");
  return restError("UPSTREAM_FAILED", { upstream, client, problem: problem ?? "an error" }, extras);
}

/**
 * Reports whether a code means a rejected TLS handshake. TLS 1.3 may report the rejection after the request
 * was sent.
 */
export function isTlsRejection(code: string): boolean {
  return NO_TLS.test(code);
}

/**
 * Returns the code of undici or its parser in an error or its causes, or an empty string if there is none.
 */
export function codeAmong(cause: unknown): string {
  return causesOf(cause).find(({ name }) => COMMON.test(name))?.name ?? "";
}

/** Returns the error for a status that a proxy sent in place of a connection. */
export function proxyRejection(upstream: string, status: number, cause: unknown): ConnectError {
  if (status < 500) return restError("UPSTREAM_PROXY_REFUSED", { upstream, status }, { cause });
  const problem = `the proxy responded with ${status}`;
  return restError("UPSTREAM_UNREACHABLE", { upstream, problem }, { cause });
}

interface Cause {
  /** The code of the error or, if there is no code, the name of its class. Contains no text from the peer. */
  readonly name: string;
  readonly text: string;
  /** Whether the error occurred while connecting. */
  readonly isConnecting: boolean;
}

/**
 * Returns an error and its chain of causes, errors with codes first. The chain continues with the first error
 * of an aggregate error.
 */
function causesOf(error: unknown): Cause[] {
  const found: Cause[] = [];
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    const { code, syscall } = current as NodeJS.ErrnoException;
    const own = typeof code === "string" && /^\w{1,64}$/.test(code) ? code : current.name;
    const name = own === "HTTPParserError" ? "HPE_UNKNOWN" : own;
    found.push({ name, text: current.message, isConnecting: syscall === "connect" });
    current = current.cause ?? (current instanceof AggregateError ? current.errors[0] : undefined);
  }
  const hasCode = ({ name }: Cause) => /^[A-Z][A-Z0-9]*_|^E[A-Z]+$/.test(name);
  return [...found.filter(hasCode), ...found.filter((each) => !hasCode(each))];
}
