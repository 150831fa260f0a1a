import type { ConnectError } from "@connectrpc/connect";
import type { LimitName } from "../limits.ts";

/** The rejection of a call: the exceeded limit, and the error for the caller. */
export interface LimitRejection {
  /** The name of a limit in the table, or `upstream.callsInFlight`. */
  readonly limit: LimitName | "upstream.callsInFlight";
  readonly error: ConnectError;
}
