import { randomBytes } from "node:crypto";
import { hashOf } from "connect-rest-runtime/internal";
import type { HttpRequest } from "../host.ts";
import { INTERACTION_SECONDS } from "./provider.ts";

/** A browser in which authorization flows run. */
export interface Browser {
  /** The ID to which flows are bound: the hash of the cookie value. */
  readonly id: string;
  /** The header that sets the cookie, or extends its life. */
  readonly cookie: string;
}

const VALUE_PATTERN = /^[\w-]{43}$/;

/**
 * Identifies browsers by a cookie that only this host can set. The cookies of a flow are restricted to its
 * path, so they cannot have the prefix `__Host-` (RFC 6265bis section 4.1.3.2), and other hosts of the same
 * domain could set them. An attacker could then begin a flow, have another person's browser continue it, and
 * finish it in the attacker's browser. Browsers allow the prefix only with https. If the gateway uses http,
 * it runs on the person's machine, where no other hosts exist.
 */
export class BrowserCookie {
  private readonly name: string;
  private readonly attributes: string;

  constructor(isSecure: boolean) {
    this.name = isSecure ? "__Host-connect_rest_browser" : "connect_rest_browser";
    const secure = isSecure ? "; secure" : "";
    this.attributes = `path=/; max-age=${INTERACTION_SECONDS}; httponly; samesite=lax${secure}`;
  }

  /** Returns the browser that sent a request; undefined if the browser has not begun a flow. */
  find(request: HttpRequest): Browser | undefined {
    const value = cookieOf(request, this.name);
    return value !== undefined && VALUE_PATTERN.test(value) ? this.browserOf(value) : undefined;
  }

  /** Creates the identity of a new browser. */
  create(): Browser {
    return this.browserOf(randomBytes(32).toString("base64url"));
  }

  private browserOf(value: string): Browser {
    return { id: hashOf(value), cookie: `${this.name}=${value}; ${this.attributes}` };
  }
}

/** Returns the value of a cookie in a request. If several cookies have this name, returns the first value. */
export function cookieOf({ headers }: HttpRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
