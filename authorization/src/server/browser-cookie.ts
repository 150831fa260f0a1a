import { randomBytes } from "node:crypto";
import { hashOf } from "connect-rest-runtime/internal";
import type { HttpRequest } from "../host.ts";
import { INTERACTION_SECONDS } from "./provider.ts";

/** A browser that takes part in flows. */
export interface Browser {
  /** What flows are bound to: the hash of what its cookie has. */
  readonly id: string;
  /** Gives it the cookie, or another while for it. */
  readonly cookie: string;
}

const VALUE_PATTERN = /^[\w-]{43}$/;

/**
 * Tells browsers apart by a cookie that none but this host can set. The cookies of a flow have its path, so
 * that they cannot have the prefix `__Host-` (RFC 6265bis section 4.1.3.2), and other hosts of the same
 * domain could set them: somebody who began a flow could have another person's browser go on with it, and end
 * it in their own. Browsers keep the prefix to https; on the person's own machine, by http,
 * there are no other hosts.
 */
export class BrowserCookie {
  private readonly name: string;
  private readonly attributes: string;

  constructor(isSecure: boolean) {
    this.name = isSecure ? "__Host-connect_rest_browser" : "connect_rest_browser";
    const secure = isSecure ? "; secure" : "";
    this.attributes = `path=/; max-age=${INTERACTION_SECONDS}; httponly; samesite=lax${secure}`;
  }

  /** The browser of a request; undefined for one that has not begun a flow. */
  find(request: HttpRequest): Browser | undefined {
    const value = cookieOf(request, this.name);
    return value !== undefined && VALUE_PATTERN.test(value) ? this.browserOf(value) : undefined;
  }

  /** A browser that has not been seen yet. */
  create(): Browser {
    return this.browserOf(randomBytes(32).toString("base64url"));
  }

  private browserOf(value: string): Browser {
    return { id: hashOf(value), cookie: `${this.name}=${value}; ${this.attributes}` };
  }
}

/** The value of a cookie of a request: of several of the name, the first. */
export function cookieOf({ headers }: HttpRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
