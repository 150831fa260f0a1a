import type { ConnectError } from "@connectrpc/connect";
import type { LimitName } from "../limits.ts";

/** Why a call is rejected: the limit, and the error for its caller. */
export interface LimitRejection {
  /** A limit of the table, or `upstream.callsInFlight`. */
  readonly limit: LimitName | "upstream.callsInFlight";
  readonly error: ConnectError;
}
