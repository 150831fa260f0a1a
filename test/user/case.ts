import { type Case, fails, says } from "../blog/case.ts";

/**
 * What every endpoint for users says to a caller it does not know, to an application,
 * and to one that asks too often.
 */
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
