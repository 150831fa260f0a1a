import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Limits } from "../limits.ts";
import { type Protocol, protocolOf } from "./protocol.ts";

/** How long a call may take, and who says so. */
export interface Deadline {
  /** Milliseconds, at least 0 and at most a day: a timer can hold it. */
  readonly ms: number;
  readonly setBy: "client" | "method" | "gateway";
  /** Whether the client named a timeout, be it the one that counts or not. */
  readonly isClientBound: boolean;
}

/** The deadlines of the gateway, in milliseconds. */
export interface GatewayDeadlines {
  /** Of methods that have none of their own. */
  readonly fallback: number;
  /** Of any call. */
  readonly max: number;
}

/** The deadline that a method's annotations name, in milliseconds; undefined when they name none. */
export type MethodTimeout = (method: DescMethod) => number | undefined;

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/** The request header that carries a client's timeout. */
export function timeoutHeader(protocol: Protocol): "connect-timeout-ms" | "grpc-timeout" {
  return protocol === "connect" ? "connect-timeout-ms" : "grpc-timeout";
}

/**
 * A client's timeout in milliseconds: up to ten digits for Connect, up to eight digits and a unit for gRPC
 * and gRPC-Web. Undefined when the text is neither; the protocol's handler rejects that.
 */
export function parseTimeout(protocol: Protocol, text: string): number | undefined {
  if (protocol === "connect") return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  const match = /^(\d{1,8})([HMSmun])$/.exec(text);
  const unit = UNIT_MS[match?.[2] ?? ""];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

/** The timeout that the headers of a request name, in milliseconds; undefined for none that is legal. */
export function clientTimeoutMs(headers: IncomingHttpHeaders): number | undefined {
  const protocol = protocolOf(headers["content-type"]);
  const given = headers[timeoutHeader(protocol)];
  return typeof given === "string" ? parseTimeout(protocol, given) : undefined;
}

/** A timeout as the protocol spells it. Rounded up: gRPC's shorter units are below what a timer can do. */
export function printTimeout(protocol: Protocol, ms: number): string {
  const whole = Math.ceil(ms);
  return protocol === "connect" ? String(whole) : `${whole}m`;
}

/** `min(client, method or else the gateway's default, the gateway's maximum)`. */
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
 * The deadline of a call.
 *
 * @param given the text of the client's timeout; one that is not legal does not count
 */
export function deadlineOf(
  given: string | undefined,
  protocol: Protocol,
  method: DescMethod,
  methodMs: number | undefined,
  limits: Limits,
): Deadline {
  const client = given === undefined ? undefined : parseTimeout(protocol, given);
  const fallback = method.methodKind === "unary" ? limits.unaryDeadlineMs : limits.streamDeadlineMs;
  return effectiveDeadline(client, methodMs, { fallback, max: limits.maxDeadlineMs });
}

/**
 * Writes the deadline of a call into its headers, where connect's handler reads it: it would reject a timeout
 * that is legal but beyond its maximum, and turn one beyond 2^31-1 into 1 ms. A timeout that is not legal is
 * left for it to reject.
 */
export function applyDeadline(headers: Headers, protocol: Protocol, { ms }: Deadline): void {
  const name = timeoutHeader(protocol);
  const given = headers.get(name);
  if (given === null || parseTimeout(protocol, given) !== undefined) {
    headers.set(name, printTimeout(protocol, ms));
  }
}
