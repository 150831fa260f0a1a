import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import {
  Budget,
  MESSAGE_COST,
  spendJson,
  spendWire,
  TooComplex,
  TooCostly,
} from "connect-rest-codec/internal";
import { gatewayError } from "../call/gateway-error.ts";

/** The maximum cost per byte: two bytes can be a whole map entry with its message. */
const MAX_COST_PER_BYTE = MESSAGE_COST;

/** The cost up to which a message is not scanned. Nearly all messages are too short to exceed it. */
const CHEAP = 10_000;

/** The options for checking the cost of request messages. */
export interface CostOptions {
  /** The value of the limit `messageCost`. */
  readonly limit: number;
  /** The maximum nesting depth of messages. */
  readonly depth: number;
  /** The types allowed in a google.protobuf.Any. */
  readonly types: Registry | undefined;
}

/**
 * Rejects a protobuf message that costs too much to decode.
 *
 * @returns the cost of the message; for short messages, an upper bound
 * @throws ConnectError RESOURCE_EXHAUSTED, naming the limit
 */
export function checkWireCost(desc: DescMessage, bytes: Uint8Array, options: CostOptions): number {
  const most = bytes.length * MAX_COST_PER_BYTE;
  if (most <= Math.min(CHEAP, options.limit)) return most;
  return spent(options, (budget) => spendWire(budget, desc, bytes, options.depth, options.types));
}

const decoder = new TextDecoder();

/**
 * Rejects a ProtoJSON message that costs too much to decode. Rejects a number with more digits than any type
 * can hold, with INVALID_ARGUMENT.
 */
export function checkJsonCost(desc: DescMessage, json: string | Uint8Array, options: CostOptions): number {
  const most = json.length * MAX_COST_PER_BYTE;
  if (most <= Math.min(CHEAP, options.limit)) return most;
  const text = typeof json === "string" ? json : decoder.decode(json);
  return spent(options, (budget) => spendJson(budget, desc, text, options.types));
}

function spent({ limit }: CostOptions, spend: (budget: Budget) => void): number {
  const budget = new Budget(limit);
  try {
    spend(budget);
  } catch (error) {
    if (error instanceof TooComplex) {
      throw gatewayError("REQUEST_TOO_LARGE", error.message, Code.InvalidArgument);
    }
    if (!(error instanceof TooCostly)) throw error;
    const text = `the message has too many values: decoding it costs more than messageCost, ${limit}`;
    throw gatewayError("REQUEST_TOO_LARGE", text, Code.ResourceExhausted);
  }
  return budget.spent;
}
