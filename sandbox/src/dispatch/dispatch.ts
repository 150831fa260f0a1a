import type { IncomingMessage } from "node:http";
import { authenticate } from "../auth/authenticate.ts";
import { type Caller, NOBODY, requireScope, requireUser, unauthorized } from "../auth/caller.ts";
import type { SignedRequest } from "../auth/oauth1.ts";
import { readBody } from "../http/body.ts";
import { decodePairs, Fields } from "../http/fields.ts";
import { type HeaderMap, type HttpResponse, Rejection, reason, reject } from "../http/response.ts";
import { parseTarget, type Target } from "../http/target.ts";
import type { World } from "../world.ts";
import type { Call, Route } from "./call.ts";
import type { Router } from "./router.ts";

function addressedOrigin(request: IncomingMessage): string {
  return `${isEncrypted(request) ? "https" : "http"}://${request.headers.host ?? "localhost"}`;
}

/**
 * Returns each `scheme://host[:port]` that a signature may cover: the public address if one is set, and, for
 * a request without proxy headers, the address that received the request.
 */
function signedOrigins(world: World, request: IncomingMessage): string[] {
  const { publicUrl } = world.rules;
  const forwarded = "x-forwarded-proto" in request.headers || "x-forwarded-host" in request.headers;
  if (publicUrl === undefined) return [addressedOrigin(request)];
  return forwarded ? [publicUrl] : [publicUrl, addressedOrigin(request)];
}

function isEncrypted({ socket }: IncomingMessage): boolean {
  return "encrypted" in socket && socket.encrypted === true;
}

function checkTransport(world: World, request: IncomingMessage): void {
  const forwarded = request.headers["x-forwarded-proto"];
  if (world.rules.requireHttps && forwarded !== "https" && !isEncrypted(request)) {
    throw reject(404, "HTTPS is required");
  }
  if (world.rules.requireUserAgent && !request.headers["user-agent"]) {
    throw reject(400, "Missing User-Agent header");
  }
}

/** Counts a call with a consumer key, and returns the rate limit headers. Throws 429 if no calls remain. */
function countCall(world: World, consumer: string): HeaderMap {
  const { meter, limits } = world;
  const hour = meter.count(`key ${consumer}`, limits.callsPerHour, 3600);
  const day = meter.count(`key ${consumer}`, limits.callsPerDay, 86_400);
  const headers: HeaderMap = {};
  for (const [name, window] of [
    ["Perhour", hour],
    ["Perday", day],
  ] as const) {
    if (!Number.isFinite(window.limit)) continue;
    headers[`X-Ratelimit-${name}-Limit`] = String(window.limit);
    headers[`X-Ratelimit-${name}-Remaining`] = String(window.remaining);
    headers[`X-Ratelimit-${name}-Reset`] = String(window.resetIn);
  }
  const full = !day.allowed ? day : !hour.allowed ? hour : undefined;
  if (full) {
    throw reject(429, "Rate limit of the consumer key", 0, {
      ...headers,
      "retry-after": String(full.resetIn),
    });
  }
  return headers;
}

function countAddress(world: World, address: string): void {
  const window = world.meter.count(`address ${address}`, world.limits.callsPerAddressPerMinute, 60);
  if (!window.allowed) {
    throw reject(429, "Rate limit of the address", 0, { "retry-after": String(window.resetIn) });
  }
}

function checkLevel(route: Route, caller: Caller): void {
  if (route.level === "none" || route.level === "self") return;
  if (route.level === "oauth1") {
    if (caller.via !== "oauth1") throw reject(400, "The request is not signed with OAuth 1.0a");
    requireUser(caller);
    return;
  }
  if (caller.via === "nothing") throw unauthorized();
  if (route.level === "user") requireUser(caller);
  requireScope(caller, route.method === "GET" ? "basic" : "write");
}

function signedRequest(call: Omit<Call, "caller" | "path">): SignedRequest {
  return {
    method: call.method,
    origins: call.origins,
    rawPath: call.target.rawPath,
    authorization: call.headers.authorization,
    query: call.queryPairs,
    form: call.body.formPairs,
    parts: call.body.partPairs.filter(([name]) => name !== "json"),
  };
}

/** Returns the parts of a request that the OAuth endpoints need to verify a signature. */
export function signedRequestOf(call: Call): SignedRequest {
  return signedRequest(call);
}

async function read(
  world: World,
  request: IncomingMessage,
  target: Target,
): Promise<Omit<Call, "caller" | "path">> {
  const queryPairs = decodePairs(target.rawQuery);
  const query = new Fields(queryPairs);
  const body = await readBody(request);
  const origins = signedOrigins(world, request);
  return {
    world,
    method: request.method ?? "",
    target,
    headers: request.headers,
    origin: origins[0] ?? "",
    origins,
    address: request.socket.remoteAddress ?? "",
    query,
    queryPairs,
    body,
    input: body.fields.over(query),
  };
}

/** The endpoints, and the hooks around their handlers. */
export interface Service {
  readonly router: Router;
  /** Runs before each handler, in the same transaction, and applies changes that are due. */
  readonly prepare: (world: World) => void;
  /** Returns the error for an unknown path below `/feed`. */
  readonly feedNotFound: () => Rejection;
}

function prepared(service: Service, world: World, handle: () => HttpResponse): HttpResponse {
  service.prepare(world);
  return handle();
}

/**
 * Finds the route, authenticates the request, and calls the handler. Rejections are converted to responses.
 */
export async function dispatch(
  world: World,
  service: Service,
  request: IncomingMessage,
): Promise<HttpResponse> {
  let headers: HeaderMap = {};
  try {
    const target = parseTarget(request.url ?? "");
    if (!target) throw reject(400, "Malformed request target");
    const found = service.router.find(request.method ?? "", target.rawPath);
    const feed = target.segments[0] === "feed";
    if (!feed) checkTransport(world, request);
    if (!feed) countAddress(world, request.socket.remoteAddress ?? "");
    if (Array.isArray(found)) {
      if (feed) throw service.feedNotFound();
      if (found.length === 0) throw reject(404, "No such endpoint");
      throw reject(405, `${reason(405)}`, 0, { allow: found.join(", ") });
    }
    const { route, path } = found;
    const call = await read(world, request, target);
    const apiKey = call.query.text("api_key");
    const caller = route.level === "self" ? NOBODY : authenticate(world, signedRequest(call), apiKey);
    if (caller.consumer !== undefined) headers = countCall(world, caller.consumer);
    checkLevel(route, caller);
    const handle = () => route.handle({ ...call, path, caller });
    // OAuth endpoints commit even if they reject a request, since a used nonce or code must stay used
    const response =
      route.level === "self" ? handle() : world.db.transaction(() => prepared(service, world, handle));
    return { ...response, headers: { ...headers, ...response.headers } };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { ...error.response, headers: { ...headers, ...error.response.headers } };
  }
}
