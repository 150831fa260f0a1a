import type { ConnectError } from "@connectrpc/connect";
import type { LimitName } from "../limits.ts";

/** Why a call is not taken: by which limit, and the error for its caller. */
export interface LimitRejection {
  /** A limit of the table, or `upstream.callsInFlight`. */
  readonly limit: LimitName | "upstream.callsInFlight";
  readonly error: ConnectError;
}
