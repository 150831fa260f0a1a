import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import type { Connections } from "./connections.ts";
import { nextHop, RedirectRejected } from "./hop.ts";
import { redirectedRequest } from "./hop-request.ts";
import { type UpstreamSettings, usedBase } from "./options.ts";
import { isSuccess, type UpstreamCall, type UpstreamResponse } from "./upstream.ts";

/** An upstream whose response is a redirect. */
interface RedirectingUpstream {
  readonly name: string;
  readonly settings: UpstreamSettings;
  readonly connections: Connections;
}

/** Redirect statuses (RFC 9110 section 15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The error text for a redirect from a public to a private address; see Hop. */
const PRIVATE_HOP = "a private address after a public one";

/**
 * Returns the call that follows a redirect. Returns undefined if the response is not a redirect, or if the
 * redirect must not be followed.
 *
 * @throws ConnectError reason REDIRECT_REFUSED
 */
export function redirectedCall(
  { name, settings, connections }: RedirectingUpstream,
  call: UpstreamCall,
  { status, headers }: UpstreamResponse,
): UpstreamCall | undefined {
  const { rules, request, stream, method } = call;
  const { redirects } = settings;
  if (redirects === undefined || !rules.redirects || !REDIRECTS.has(status)) return undefined;
  if (isSuccess(status, rules) || stream !== undefined || request.body !== undefined) return undefined;
  if (request.verb !== "GET" && request.verb !== "HEAD") return undefined;
  const { location } = headers;
  if (location === undefined) return undefined;
  const base = usedBase(name, settings, rules.base);
  const start = {
    origin: base.origin,
    path: base.prefix + request.path,
    isForeign: false,
    mustBePublic: false,
    count: 0,
  };
  const from = call.hop ?? start;
  const mustBePublic = from.mustBePublic || connections.isPublic(from.origin);
  try {
    if (typeof location !== "string") throw new RedirectRejected("more than one address");
    const hop = nextHop(location, { ...from, mustBePublic }, base.origin, redirects);
    if (mustBePublic && !connections.mayBePublic(hop.origin)) throw new RedirectRejected(PRIVATE_HOP);
    return { ...call, hop, request: redirectedRequest(request, hop, rules.apiKey) };
  } catch (cause) {
    if (!(cause instanceof RedirectRejected)) throw cause;
    const names = { upstream: name, method: fullName(method) };
    throw restError("REDIRECT_REFUSED", { ...names, problem: cause.message }, { cause });
  }
}
