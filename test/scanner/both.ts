import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { type FoundDifferences, NO_DIFFERENCES } from "../../runtime/src/decode/difference.ts";
import { Decoder } from "../../runtime/src/response/decode.ts";
import { readResponse } from "../../runtime/src/response/read-response.ts";
import { ResponseScanner } from "../../runtime/src/response/scan-response.ts";
import { Scanner } from "../../runtime/src/scan/scanner.ts";
import { atOnce, type Work } from "../../runtime/src/time/work.ts";

/** What one of the two ways makes of a body. */
export interface Outcome {
  /** The message's bytes as hexadecimal digits, and its differences; or the error in their place. */
  readonly message: string;
  readonly differences: FoundDifferences;
}

const scanner = ResponseScanner.create();
const IN_PIECES = new Map<number, ResponseScanner>();
const decoder = new Decoder();
const MAX_COST = 1_600_000;

/** What the JavaScript decoder makes of a body. */
export function decoded(adapter: UnaryAdapter, body: Uint8Array, maxCost = MAX_COST): Outcome {
  try {
    const read = readResponse(responseOf(body), adapter.rules, 0, maxCost);
    const { bytes, differences } = decoder.message(adapter, read);
    return { message: Buffer.from(bytes).toString("hex"), differences };
  } catch (error) {
    return { message: String(error), differences: NO_DIFFERENCES };
  }
}

/** What the scanner makes of a body; undefined where it leaves it to the decoder. */
export function scanned(adapter: UnaryAdapter, body: Uint8Array, maxCost = MAX_COST): Outcome | undefined {
  if (scanner === undefined) throw new Error("there is no WebAssembly");
  // an object of its own, so that responses that were not read before do not count
  const subject = { ...adapter };
  if (scanner.isLarge(body)) return atOnce(inPieces(scanner, adapter, body, maxCost));
  const found = scanner.message(subject, adapter.rules, responseOf(body), "application/json", maxCost);
  return found && { message: Buffer.from(found.bytes).toString("hex"), differences: found.differences };
}

/** Reads a body in pieces of so many bytes; those of whatever length that have an item which is longer than one. */
export function pieces(
  adapter: UnaryAdapter,
  body: Uint8Array,
  size: number,
  maxCost = MAX_COST,
): Work<Outcome | undefined> {
  const known = IN_PIECES.get(size) ?? new ResponseScanner(new Scanner({ usual: size, max: 2 * size }));
  IN_PIECES.set(size, known);
  return inPieces(known, adapter, body, maxCost);
}

function* inPieces(
  scanner: ResponseScanner,
  adapter: UnaryAdapter,
  body: Uint8Array,
  maxCost: number,
): Work<Outcome | undefined> {
  const subject = { ...adapter };
  const found = yield* scanner.messageInPieces(
    subject,
    adapter.rules,
    responseOf(body),
    "application/json",
    maxCost,
  );
  return found && { message: Buffer.from(found.bytes).toString("hex"), differences: found.differences };
}

function responseOf(body: Uint8Array) {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body,
    truncated: false,
    configuredCredentials: false,
    secrets: [],
  };
}
