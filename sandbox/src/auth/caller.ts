import { reject } from "../http/response.ts";

/** The identity and permissions of the caller. */
export interface Caller {
  readonly via: "nothing" | "api_key" | "oauth1" | "oauth2";
  /** The consumer key, if the credentials name one. */
  readonly consumer?: string;
  /** The name of the user. Absent for an application's token and for a plain key. */
  readonly user?: string;
  /** The scopes of an OAuth 2.0 token. Absent for other credentials, which allow everything. */
  readonly scopes?: string[];
  /** The OAuth 1.0a token. */
  readonly token?: string;
}

export const NOBODY: Caller = Object.freeze({ via: "nothing" });

/** Returns a 401 with subcode 1016, for missing or invalid credentials. */
export function unauthorized(): Error {
  return reject(401, "Unable to authorize", 1016);
}

/**
 * Returns the name of the user. Throws 401 if there are no credentials, and 403 for an application's token.
 */
export function requireUser(caller: Caller): string {
  if (caller.user !== undefined) return caller.user;
  if (caller.via === "oauth1" || caller.via === "oauth2") throw reject(403, "A user is required");
  throw unauthorized();
}

/** Throws 403 if an OAuth 2.0 token lacks the scope. */
export function requireScope(caller: Caller, scope: "basic" | "write"): void {
  if (caller.scopes && !caller.scopes.includes(scope)) {
    throw reject(403, `The token lacks the scope ${scope}`);
  }
}
