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

/** What a byte can cost at most: two of them are a whole entry of a map, with the message in it. */
const MAX_COST_PER_BYTE = MESSAGE_COST;

/** Messages that cannot cost more than this are not looked at: nearly every one. */
const CHEAP = 10_000;

/** What is known about the messages of requests. */
export interface CostOptions {
  /** The limit `messageCost`. */
  readonly limit: number;
  /** How deep messages may be nested. */
  readonly depth: number;
  /** The types that a google.protobuf.Any may have. */
  readonly types: Registry | undefined;
}

/**
 * Rejects a message as protobuf that costs too much to decode.
 *
 * @returns what it costs; of short messages, what they cost at most
 * @throws ConnectError RESOURCE_EXHAUSTED, naming the limit
 */
export function checkWireCost(desc: DescMessage, bytes: Uint8Array, options: CostOptions): number {
  const most = bytes.length * MAX_COST_PER_BYTE;
  if (most <= Math.min(CHEAP, options.limit)) return most;
  return spent(options, (budget) => spendWire(budget, desc, bytes, options.depth, options.types));
}

const decoder = new TextDecoder();

/**
 * Rejects a message as ProtoJSON likewise; also INVALID_ARGUMENT for a number of
 * more digits than any type holds.
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
