import type { OwnClient } from "connect-rest-authorization";

/** The client ID of the console. Configured clients cannot have it. */
export const CONSOLE_CLIENT_ID = "connect-rest-console";

/** Returns the client with which people sign in to the console. */
export function consoleClient(publicUrl: string): OwnClient {
  return { id: CONSOLE_CLIENT_ID, name: "The console of this gateway", redirectUri: `${publicUrl}/` };
}
