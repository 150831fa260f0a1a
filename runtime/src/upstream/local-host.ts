import { isIP } from "node:net";
import { hostOf, isLoopbackOrigin } from "../text/loopback.ts";

/**
 * Reports whether an origin is evidently not on the public internet. Host names are not resolved here, since
 * another component makes the connection.
 */
export function isPrivateText(origin: string, isPrivate: (address: string) => boolean): boolean {
  const host = hostOf(origin);
  return isIP(host) === 0 ? isLoopbackOrigin(origin) : isPrivate(host);
}
