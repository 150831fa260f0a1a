import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { Budget, OBJECT_COST } from "./cost.ts";
import { spendJson } from "./json-cost.ts";
import { spendWire } from "./wire-cost.ts";

/** What a byte can cost at most: two of them are a whole entry of a map, with the message in it. */
const MAX_COST_PER_BYTE = OBJECT_COST;

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
 * Refuses a message as protobuf that costs too much to decode.
 *
 * @returns what it costs; of short messages, what they cost at most
 * @throws ConnectError RESOURCE_EXHAUSTED, naming the limit
 */
export function checkWireCost(desc: DescMessage, bytes: Uint8Array, options: CostOptions): number {
  const most = bytes.length * MAX_COST_PER_BYTE;
  if (most <= Math.min(CHEAP, options.limit)) return most;
  const budget = new Budget(options.limit);
  spendWire(budget, desc, bytes, options.depth, options.types);
  return budget.spent;
}

const decoder = new TextDecoder();

/** Refuses a message as ProtoJSON likewise; also INVALID_ARGUMENT for a number of more digits than any type holds. */
export function checkJsonCost(desc: DescMessage, json: string | Uint8Array, options: CostOptions): number {
  const most = json.length * MAX_COST_PER_BYTE;
  if (most <= Math.min(CHEAP, options.limit)) return most;
  const budget = new Budget(options.limit);
  const text = typeof json === "string" ? json : decoder.decode(json);
  spendJson(budget, desc, text, options.types);
  return budget.spent;
}
