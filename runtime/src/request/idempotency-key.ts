import type { Clock } from "connect-rest-codec/internal";
import type { RestRequest } from "../adapter/rest-request.ts";
import { withHeaders } from "./with-headers.ts";

/**
 * Adds a header with a unique key, by which the upstream recognizes retries of the request
 * (draft-ietf-httpapi-idempotency-key-header). Does not change a request whose message has already set the
 * header.
 */
export function withIdempotencyKey(
  request: RestRequest,
  header: string | undefined,
  clock: Clock,
): RestRequest {
  if (header === undefined || request.headers.some(([name]) => name === header)) return request;
  return withHeaders(request, [...request.headers, [header, randomUuid(clock)]]);
}

/** Returns a version 4 UUID (RFC 9562 section 5.4). */
function randomUuid(clock: Clock): string {
  const hex = clock.randomHex(16);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
