import type { Caller } from "./caller.ts";
import { clientKey } from "./client-key.ts";

/**
 * A character that names, client IDs and addresses cannot contain. In a key, it precedes a person's name, and
 * follows a client ID.
 */
const MARK = "\n";

/**
 * Returns the key of the caller in all limits that apply per caller. For a person, this is the person's key
 * across all clients, because anyone can register any number of clients; without a person, it is the client's
 * key; without a token, the address's key. Computed for every call.
 */
export function callerKey({ client, subject }: Pick<Caller, "client" | "subject">): string {
  if (subject === undefined) return clientKey(client);
  return subject.person === undefined ? subject.clientId + MARK : MARK + subject.person;
}

/** Returns the caller as it appears in the log, without naming a person. */
export function callerInLog(key: string): { readonly client: string } | { readonly caller: "person" } {
  return key.startsWith(MARK) ? { caller: "person" } : { client: key.split(MARK, 1)[0] ?? "" };
}
