import type { Caller } from "./caller.ts";
import { clientKey } from "./client-key.ts";

/**
 * A character that names, client ids and addresses cannot contain. It precedes a person's name, and follows a
 * client id.
 */
const MARK = "\n";

/**
 * Returns whose shares a call uses: the person's, across all clients of the person, since anyone can register
 * any number of clients; else the client's; without a token, the address's. Computed for every call.
 */
export function callerKey({ client, subject }: Pick<Caller, "client" | "subject">): string {
  if (subject === undefined) return clientKey(client);
  return subject.person === undefined ? subject.clientId + MARK : MARK + subject.person;
}

/** Returns the caller as it appears in the log, without naming a person. */
export function callerInLog(key: string): { readonly client: string } | { readonly caller: "person" } {
  return key.startsWith(MARK) ? { caller: "person" } : { client: key.split(MARK, 1)[0] ?? "" };
}
