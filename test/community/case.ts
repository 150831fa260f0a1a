import { type Case, fails, rejects, says } from "../blog/case.ts";
import type { Api } from "../blog/world.ts";
import { callerCases } from "../user/case.ts";

/** The community of most cases. */
export const gardeners = { communityHandle: "gardeners" };

/** The error codes of all endpoints that show a community or accept new members. */
export const ACCESS = [
  [403, 23001, "a private community, and no member"],
  [403, 23002, "not a member"],
  [403, 23020, "banned"],
] as const;

/** Converts rows of documented errors into cases. */
export function documented(
  endpoint: string,
  rows: ReadonlyArray<readonly [status: number, subcode: number, name: string]>,
  call: Case["call"],
): Case[] {
  return rows.map(([status, subcode, name]) =>
    fails(endpoint, `${status}${subcode === 0 ? "" : `.${subcode}`}: ${name}`, call, {
      prepare: says(status, subcode),
    }),
  );
}

/** Returns the cases that every community endpoint has, about callers' credentials and invalid handles. */
export function communityCases(
  endpoint: string,
  call: (api: Api, communityHandle: string) => Promise<unknown>,
): Case[] {
  const of =
    (handle: string): Case["call"] =>
    (api) =>
      call(api, handle);
  return [
    ...callerCases(endpoint, of("gardeners")),
    fails(endpoint, "a community that is not there", of("nobody"), { prepare: says(404) }),
    rejects(endpoint, "no community", of("")),
    rejects(endpoint, "a handle with its double @", of("@@gardeners"), { prepare: says(404) }),
    rejects(endpoint, "a handle with a slash", of("a/b"), { prepare: says(404) }),
  ];
}
