import type { Caller } from "../call/caller.ts";
import type { HttpRequest } from "../listener/http.ts";

/**
 * The second step of a call: finds out whose it is. Every caller is anonymous so far, known by address alone, so this
 * returns the caller as the listener saw it. An authorization server plugs in here: it will read the request's token,
 * and refuse the call or add to the caller what the token says.
 */
export function authenticate(_request: HttpRequest, caller: Caller): Caller {
  return caller;
}
