import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../auth/caller.ts";
import type { Body } from "../http/body.ts";
import type { Fields } from "../http/fields.ts";
import type { Answer } from "../http/response.ts";
import type { Target } from "../http/target.ts";
import type { World } from "../world.ts";

/** One request, read and authenticated, as a handler sees it. */
export interface Call {
  world: World;
  method: string;
  target: Target;
  headers: IncomingHttpHeaders;
  /** `scheme://host` as the client addressed the sandbox. */
  origin: string;
  address: string;
  /** Decoded path parameters. */
  path: Record<string, string>;
  query: Fields;
  queryPairs: [string, string][];
  body: Body;
  /** Parameters of the body over those of the query. */
  input: Fields;
  caller: Caller;
}

/** What a caller must show: nothing, a consumer key, a user, or (exchange) a user by OAuth 1.0a. */
export type Level = "none" | "key" | "user" | "oauth1" | "self";

export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Segments; `:name` captures one. */
  path: string;
  /** `self`: the handler sees to authentication by itself. */
  level: Level;
  handle: (call: Call) => Answer;
}
