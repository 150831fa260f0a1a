import { Code, type ConnectError } from "@connectrpc/connect";
import type { JsonValue } from "connect-rest-codec/internal";
import { instantFrom, valueAt } from "connect-rest-codec/internal";
import type { RetryAfterRule } from "../adapter/rules.ts";
import { RetryInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import type { KnownDetail } from "./rest-error.ts";

/** Returns the value of a response header by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined;

const MAX_DELAY_MS = 366 * 24 * 3600 * 1000;
const RETRYABLE: readonly Code[] = [Code.ResourceExhausted, Code.Unavailable];

/**
 * Returns the delay before the next attempt in milliseconds, or undefined if the response states no delay.
 * The first rule whose header or key is present applies. Upstreams often send such headers with every
 * response, so rules apply only to errors that a retry can fix (RESOURCE_EXHAUSTED, UNAVAILABLE). If no rule
 * applies, the header `Retry-After` is used (RFC 9110 section 10.2.3), whatever the error.
 *
 * @param now milliseconds since 1970
 * @param body the body of the error
 */
export function retryDelayMs(
  header: HeaderReader,
  rules: readonly RetryAfterRule[],
  code: Code,
  now: number,
  body?: JsonValue,
): number | undefined {
  for (const rule of RETRYABLE.includes(code) ? rules : []) {
    const delay = applies(rule, header) ? read(textAt(rule, header, body), rule.format, now) : undefined;
    if (delay !== undefined) return delay;
  }
  const retryAfter = header("retry-after");
  return read(retryAfter, "seconds", now) ?? read(retryAfter, "http_date", now);
}

function textAt(
  { header: name, path }: RetryAfterRule,
  header: HeaderReader,
  body: JsonValue | undefined,
): string | undefined {
  if (name !== undefined) return header(name.toLowerCase());
  const value = path === undefined ? undefined : valueAt(body, path);
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : undefined;
}

function applies({ when }: RetryAfterRule, header: HeaderReader): boolean {
  const value = when && header(when.name.toLowerCase());
  return when === undefined || (value !== undefined && (when.value === "" || sameText(value, when.value)));
}

function sameText(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

function read(value: string | undefined, format: RetryAfterRule["format"], now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (format === "http_date") return httpDate(text, now);
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined;
  const count = Number(text);
  if (format === "millis") return bounded(count);
  return bounded(format === "seconds" ? count * 1000 : count * 1000 - now);
}

function httpDate(text: string, now: number): number | undefined {
  const time = instantFrom(text, "http_date");
  return time && bounded(time.seconds * 1000 - now);
}

function bounded(milliseconds: number): number {
  return Math.min(Math.max(0, Math.round(milliseconds)), MAX_DELAY_MS);
}

/** Returns a delay in milliseconds as a google.rpc.RetryInfo error detail. */
export function retryInfo(milliseconds: number): KnownDetail {
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = Math.round((milliseconds - seconds * 1000) * 1_000_000);
  return { desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(seconds), nanos } } };
}

/**
 * Returns the delay in the google.rpc.RetryInfo of an error, in milliseconds, or undefined if there is no
 * RetryInfo.
 */
export function retryDelayOf(error: ConnectError): number | undefined {
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  // an upstream may send a RetryInfo with a negative delay, which must neither shorten a backoff nor extend
  // an allowance
  return delay && Math.max(0, Number(delay.seconds) * 1000 + delay.nanos / 1_000_000);
}
