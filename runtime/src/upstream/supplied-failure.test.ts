import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { ExchangeFailed } from "../http/exchange.ts";
import { exchangeError } from "./failure.ts";
import { resolveOptions } from "./options.ts";

const settings = resolveOptions("things", { baseUrl: "https://api.example" });

function errorFor(cause: unknown, responded = false, client: "own" | "fetch" = "fetch") {
  const failed = new ExchangeFailed(cause, { responded, sent: true });
  return exchangeError(failed, { upstream: "things", settings, client });
}

const coded = (code: string, more: object = {}) => Object.assign(new Error("secret text"), { code, ...more });

const REASONS: Readonly<Record<string, readonly unknown[]>> = {
  UPSTREAM_UNREACHABLE: [
    coded("ECONNREFUSED"),
    coded("ENOTFOUND", { syscall: "getaddrinfo" }),
    coded("EAI_AGAIN"),
    coded("EHOSTUNREACH"),
    coded("ECONNRESET", { syscall: "connect" }),
    coded("DEPTH_ZERO_SELF_SIGNED_CERT"),
    coded("SELF_SIGNED_CERT_IN_CHAIN"),
    coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
    coded("CERT_HAS_EXPIRED"),
    coded("ERR_TLS_CERT_ALTNAME_INVALID"),
    coded("ERR_SSL_WRONG_VERSION_NUMBER"),
    coded("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"),
    coded("UND_ERR_PRX_TLS"),
    new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")]),
  ],
  UPSTREAM_TIMEOUT: [
    coded("ETIMEDOUT", { syscall: "connect" }),
    coded("ETIMEDOUT"),
    coded("UND_ERR_CONNECT_TIMEOUT"),
    coded("UND_ERR_HEADERS_TIMEOUT"),
    new DOMException("late", "TimeoutError"),
  ],
  UPSTREAM_RESET: [
    coded("ECONNRESET"),
    coded("EPIPE"),
    coded("UND_ERR_SOCKET"),
    coded("ERR_HTTP2_STREAM_ERROR"),
  ],
  UPSTREAM_NOT_HTTP: [coded("HPE_INVALID_CONSTANT"), Object.assign(new Error(), { name: "HTTPParserError" })],
  UPSTREAM_CLOSED: [coded("UND_ERR_CLOSED"), coded("UND_ERR_DESTROYED")],
  UPSTREAM_HEADERS_TOO_LARGE: [coded("UND_ERR_HEADERS_OVERFLOW")],
  UPSTREAM_PROXY_REFUSED: [
    Object.assign(new Error("Proxy response (407) !== 200 when HTTP Tunneling"), { code: "UND_ERR_ABORTED" }),
    Object.assign(new Error("Proxy Authentication Required (407)"), { code: "UND_ERR_INVALID_ARG" }),
  ],
  UPSTREAM_CLIENT_FAILED: [coded("UND_MOCK_ERR_MOCK_NOT_MATCHED")],
  UPSTREAM_FAILED: [new Error("boom"), new TypeError("fetch failed"), "text", undefined, coded("EWHATEVER")],
};

const CASES = Object.entries(REASONS).flatMap(([reason, causes]) =>
  causes.flatMap((cause) => [
    [reason, cause] as const,
    // as fetch wraps the cause
    [reason, new TypeError("fetch failed", { cause })] as const,
    [reason, new Error("of a library", { cause: new TypeError("fetch failed", { cause }) })] as const,
  ]),
);

test.each(CASES)("a failure of a supplied client is reported as %s: %#", (reason, cause) => {
  const error = errorFor(cause);
  expect(reasonOf(error), String(cause)).toBe(reason);
  expect(error.rawMessage).not.toContain("secret text");
});

test.each([{ toString: false }, Object.create(null), { toString: () => ({}) }])(
  "a failure without a message counts as a failure of the upstream: %#",
  (cause) => {
    expect(errorFor(cause, false).rawMessage).toMatch(/^upstream things: /);
  },
);

test("a failure within the body is reported as a truncated response", () => {
  for (const [reason, cause] of CASES) {
    if (reason === "UPSTREAM_TIMEOUT" || reason === "UPSTREAM_CLIENT_FAILED") continue;
    const error = errorFor(cause, true);
    expect([Code.Unavailable, Code.ResourceExhausted, Code.Internal], reason).toContain(error.code);
  }
  expect(reasonOf(errorFor(new TypeError("terminated", { cause: coded("ECONNRESET") }), true))).toBe(
    "UPSTREAM_TRUNCATED",
  );
});

test("a certificate that is rejected during a request is not reported as a broken connection", () => {
  for (const code of ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"]) {
    expect(errorFor(coded(code), false, "own").rawMessage).toBe(
      `upstream things: no connection was established: ${code}`,
    );
  }
  expect(reasonOf(errorFor(coded("ECONNRESET"), false, "own"))).toBe("UPSTREAM_RESET");
});

const { cause: anyCause } = fc.letrec<{ readonly cause: unknown; readonly error: Error }>((tie) => ({
  cause: fc.oneof({ depthSize: "small" }, fc.anything(), tie("error")),
  error: fc
    .record({
      message: fc.string(),
      name: fc.constantFrom("Error", "TypeError", "AbortError", "constructor", ""),
      code: fc.oneof(fc.constantFrom("ECONNRESET", "x y", "", "__proto__", "UND_ERR_UNHEARD"), fc.anything()),
      cause: tie("cause"),
      syscall: fc.anything(),
    })
    .map(({ message, ...others }) => Object.assign(new Error(message), others)),
}));

test("a failure of a supplied client is never reported as a defect of the runtime, and its message is not disclosed", () => {
  fc.assert(
    fc.property(anyCause, fc.boolean(), (cause, responded) => {
      const error = errorFor(cause, responded);
      expect([Code.Unavailable, Code.DeadlineExceeded]).toContain(error.code);
      expect(error.rawMessage).toMatch(/^upstream things: [\x20-\x7e]+$/);
    }),
    { numRuns: 500, interruptAfterTimeLimit: 10_000 },
  );
});
