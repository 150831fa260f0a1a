import { isIP } from "node:net";
import { hostOf, isLoopbackOrigin } from "../text/loopback.ts";

/**
 * Whether the text of an origin says that it is not of the public internet. Of names nothing is known before
 * they are looked up, which is not done here where somebody else makes the connection.
 */
export function isPrivateText(origin: string, isPrivate: (address: string) => boolean): boolean {
  const host = hostOf(origin);
  return isIP(host) === 0 ? isLoopbackOrigin(origin) : isPrivate(host);
}
