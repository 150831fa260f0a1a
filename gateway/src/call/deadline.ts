import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Limits } from "../limits.ts";
import { type Protocol, protocolOf } from "./protocol.ts";

/** The deadline of a call, and its source. */
export interface Deadline {
  /** The timeout in milliseconds, from 0 to one day, which fits into a timer. */
  readonly ms: number;
  readonly setBy: "client" | "method" | "gateway";
  /** Whether the client set a timeout, even if another deadline is shorter. */
  readonly isClientBound: boolean;
}

/** The deadlines of the gateway, in milliseconds. */
export interface GatewayDeadlines {
  /** The deadline of methods that have no annotated deadline. */
  readonly fallback: number;
  /** The maximum deadline of any call. */
  readonly max: number;
}

/** Returns the annotated deadline of a method, in milliseconds; undefined without an annotation. */
export type MethodTimeout = (method: DescMethod) => number | undefined;

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/** Returns the name of the request header that carries a client's timeout. */
export function timeoutHeader(protocol: Protocol): "connect-timeout-ms" | "grpc-timeout" {
  return protocol === "connect" ? "connect-timeout-ms" : "grpc-timeout";
}

/**
 * Parses a client's timeout into milliseconds: up to ten digits for Connect; up to eight digits and a unit
 * for gRPC and gRPC-Web. Returns undefined for other strings, which the protocol's handler rejects.
 */
export function parseTimeout(protocol: Protocol, text: string): number | undefined {
  if (protocol === "connect") return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  const match = /^(\d{1,8})([HMSmun])$/.exec(text);
  const unit = UNIT_MS[match?.[2] ?? ""];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

/**
 * Returns the timeout in the headers of a request, in milliseconds; undefined if it is missing or invalid.
 */
export function clientTimeoutMs(headers: IncomingHttpHeaders): number | undefined {
  const protocol = protocolOf(headers["content-type"]);
  const given = headers[timeoutHeader(protocol)];
  return typeof given === "string" ? parseTimeout(protocol, given) : undefined;
}

/**
 * Prints a timeout in the notation of the protocol. Rounds up, since gRPC's shorter units are below the
 * resolution of a timer.
 */
export function printTimeout(protocol: Protocol, ms: number): string {
  const whole = Math.ceil(ms);
  return protocol === "connect" ? String(whole) : `${whole}m`;
}

/** Returns the minimum of three timeouts: the client's, the method's or the default, and the maximum. */
export function effectiveDeadline(
  client: number | undefined,
  method: number | undefined,
  { fallback, max }: GatewayDeadlines,
): Deadline {
  const ms = Math.min(client ?? Number.POSITIVE_INFINITY, method ?? fallback, max);
  const setBy = ms === client ? "client" : ms === method ? "method" : "gateway";
  return { ms, setBy, isClientBound: client !== undefined };
}

/**
 * Returns the deadline of a call.
 *
 * @param given the client's timeout as a string; an invalid string is ignored
 */
export function deadlineOf(
  given: string | undefined,
  protocol: Protocol,
  method: DescMethod,
  methodMs: number | undefined,
  limits: Limits,
): Deadline {
  return methodDeadline(
    given === undefined ? undefined : parseTimeout(protocol, given),
    method,
    methodMs,
    limits,
  );
}

/**
 * Returns the deadline of a call with a timeout of its client, in milliseconds; undefined without a timeout.
 */
export function methodDeadline(
  client: number | undefined,
  method: DescMethod,
  methodMs: number | undefined,
  limits: Limits,
): Deadline {
  const fallback = method.methodKind === "unary" ? limits.unaryDeadlineMs : limits.streamDeadlineMs;
  return effectiveDeadline(client, methodMs, { fallback, max: limits.maxDeadlineMs });
}

/**
 * Writes the deadline of a call into its headers, from which connect's handler reads it. Otherwise the
 * handler would reject a valid timeout over its maximum, and treat a timeout over 2^31-1 as 1 ms. Invalid
 * timeouts are not changed, so that the handler rejects them.
 */
export function applyDeadline(headers: Headers, protocol: Protocol, { ms }: Deadline): void {
  const name = timeoutHeader(protocol);
  const given = headers.get(name);
  if (given === null || parseTimeout(protocol, given) !== undefined) {
    headers.set(name, printTimeout(protocol, ms));
  }
}
