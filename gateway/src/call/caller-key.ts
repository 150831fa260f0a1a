import type { Caller } from "./caller.ts";
import { clientKey } from "./client-key.ts";

/** What a person's name, a client's ID and an address do not have: before a name, and after an ID. */
const MARK = "\n";

/**
 * Whose shares a call takes: the person's, whatever clients act for the person, since anyone can register any
 * number of clients; else the client's; without a token the address's. Computed for every call.
 */
export function callerKey({ client, subject }: Pick<Caller, "client" | "subject">): string {
  if (subject === undefined) return clientKey(client);
  return subject.person === undefined ? subject.clientId + MARK : MARK + subject.person;
}

/** A caller as the log has it, which names no person. */
export function callerInLog(key: string): { readonly client: string } | { readonly caller: "person" } {
  return key.startsWith(MARK) ? { caller: "person" } : { client: key.split(MARK, 1)[0] ?? "" };
}
