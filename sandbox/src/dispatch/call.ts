import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../auth/caller.ts";
import type { Body } from "../http/body.ts";
import type { Fields } from "../http/fields.ts";
import type { HttpResponse } from "../http/response.ts";
import type { Target } from "../http/target.ts";
import type { World } from "../world.ts";

/** A request to a handler, parsed and authenticated. */
export interface Call {
  readonly world: World;
  readonly method: string;
  readonly target: Target;
  readonly headers: IncomingHttpHeaders;
  /** `scheme://host` to which the client sent the request, or the public address if one is set. */
  readonly origin: string;
  /** The origins that a signature may cover, including `origin`. */
  readonly origins: readonly string[];
  readonly address: string;
  /** The decoded path parameters. */
  readonly path: Record<string, string>;
  readonly query: Fields;
  readonly queryPairs: [string, string][];
  readonly body: Body;
  /** The parameters of the body and of the query. Parameters of the body take precedence. */
  readonly input: Fields;
  readonly caller: Caller;
}

/**
 * The credentials that a call needs: none, a consumer key, a user, or a user with OAuth 1.0a. For `self`, see
 * `Route`.
 */
export type Level = "none" | "key" | "user" | "oauth1" | "self";

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path segments. `:name` captures a segment. */
  readonly path: string;
  /** The required credentials. With `self`, the handler authenticates the request. */
  readonly level: Level;
  readonly handle: (call: Call) => HttpResponse;
}
