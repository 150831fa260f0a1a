import { Code, type ConnectError } from "@connectrpc/connect";
import { MAX_DIGITS } from "connect-rest-codec/internal";
import { gatewayError } from "../call/gateway-error.ts";

/** What a value costs that is neither a message nor an entry of a map: a scalar, an item of a list of scalars. */
export const VALUE_COST = 1;

/**
 * What a message costs, an entry of a map, a google.protobuf.Value, and a field that is not known: each is an object of its
 * own, which takes about ten times as long, and as much memory, as a scalar.
 */
export const OBJECT_COST = 10;

/** What a number of JSON costs beside its value where JSON.parse may round it: it is looked at more closely. */
export const LONG_NUMBER_COST = 4;

/** Counts what decoding a message will cost, before it is decoded. */
export class Budget {
  /** In units of `VALUE_COST`. */
  spent = 0;
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** @throws ConnectError RESOURCE_EXHAUSTED once more than the limit is spent */
  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > this.limit) throw tooCostly(this.limit);
  }
}

function tooCostly(limit: number): ConnectError {
  const text = `the message has too many values: decoding it costs more than messageCost, ${limit}`;
  return gatewayError("REQUEST_TOO_LARGE", text, Code.ResourceExhausted);
}

/** The error of a number with more digits than a request may have. */
export function tooManyDigits(what: string, length: number): ConnectError {
  const text = `${what} has ${length} characters; numbers have at most ${MAX_DIGITS} digits`;
  return gatewayError("REQUEST_TOO_LARGE", text, Code.InvalidArgument);
}
