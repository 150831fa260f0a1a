import type { Caller } from "./caller.ts";
import { clientKey } from "./client-key.ts";

/** What a client's ID and an address do not have. */
const SEPARATOR = "\n";

/** Whose failures count together: of the subject of a token, else of an address. */
export function callerKey({ client, subject }: Pick<Caller, "client" | "subject">): string {
  if (subject === undefined) return clientKey(client);
  return `${subject.clientId}${SEPARATOR}${subject.person ?? ""}`;
}

/** The part of a caller's key for the log, which names no person. */
export function clientOfCaller(key: string): string {
  return key.split(SEPARATOR, 1)[0] ?? "";
}
