import { type Case, fails, says } from "../blog/case.ts";

/** Returns the cases that every user endpoint has: unknown callers, applications, and too many calls. */
export function callerCases(endpoint: string, call: Case["call"]): Case[] {
  return [
    fails(endpoint, "no credentials", call, { as: "nobody" }),
    fails(endpoint, "an API key alone", call, { as: "key" }),
    fails(endpoint, "credentials that are rejected", call, {
      prepare: says(401, 1016, "Unable to authorize"),
    }),
    fails(endpoint, "credentials of an application", call, { prepare: says(403, 0, "A user is required") }),
    fails(endpoint, "more calls than are allowed", call, { prepare: says(429) }),
  ];
}
