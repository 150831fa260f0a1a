import { expect } from "vitest";
import { type FoundDifferences, NO_DIFFERENCES } from "../../codec/src/decode/difference.ts";
import type { Decode, ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import type { JsonValue } from "../../codec/src/json/json.ts";
import { Scanner } from "../../codec/src/scan/scanner.ts";
import type { MessageTable } from "../../codec/src/table/message-table.ts";
import { atOnce, type Work } from "../../codec/src/time/work.ts";
import type { PaginateAdapter, UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { completeRules } from "../../runtime/src/adapter/default-rules.ts";
import type { RestResponse } from "../../runtime/src/adapter/rest-response.ts";
import { Decoder } from "../../runtime/src/response/decode.ts";
import { Page } from "../../runtime/src/response/page.ts";
import { type ReadResponse, readResponse } from "../../runtime/src/response/read-response.ts";
import { ResponseScanner } from "../../runtime/src/response/scan-response.ts";

/** The result of one of the two decoders for a body. */
export interface Outcome {
  /** The message's bytes in hexadecimal and its differences, or the error. */
  readonly message: string;
  readonly differences: FoundDifferences;
}

/** Headers of a response by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

const scanner = ResponseScanner.create();
const IN_PIECES = new Map<number, ResponseScanner>();
const decoder = new Decoder();
const MAX_COST = 1_600_000;

/**
 * Returns the JavaScript decoder's result for a body. If a method has a table and a hand-written decoder,
 * both must agree.
 */
export function decoded(
  adapter: UnaryAdapter,
  body: Uint8Array,
  maxCost = MAX_COST,
  headers: Headers = {},
): Outcome {
  const outcome = decodedBy(adapter, body, maxCost, headers);
  const byHand = BY_HAND.get(adapter);
  if (byHand !== undefined) {
    expect(outcome, body.toString()).toEqual(
      decodedBy({ ...adapter, response: byHand }, body, maxCost, headers),
    );
  }
  return outcome;
}

/** Hand-written decoders of test methods, without a table. */
const BY_HAND = new WeakMap<UnaryAdapter, NonNullable<UnaryAdapter["response"]>>();

function decodedBy(adapter: UnaryAdapter, body: Uint8Array, maxCost: number, headers: Headers): Outcome {
  try {
    const read = readResponse(responseOf(body, headers), adapter.rules, 0, maxCost);
    const { bytes, differences } = decoder.message(adapter, read);
    return { message: Buffer.from(bytes).toString("hex"), differences };
  } catch (error) {
    return { message: String(error), differences: NO_DIFFERENCES };
  }
}

/** Returns the scanner's result for a body; undefined if the scanner leaves the body to the decoder. */
export function scanned(
  adapter: UnaryAdapter,
  body: Uint8Array,
  maxCost = MAX_COST,
  headers: Headers = {},
): Outcome | undefined {
  if (scanner === undefined) throw new Error("there is no WebAssembly");
  // A copy of the adapter, so that its earlier responses do not count.
  const subject = { ...adapter };
  if (scanner.isLarge(body)) return atOnce(inPieces(scanner, adapter, body, maxCost, headers));
  const found = scanner.read(subject, adapter.rules, responseOf(body, headers), maxCost)?.decoded;
  return found && { message: Buffer.from(found.bytes).toString("hex"), differences: found.differences };
}

/** Reads a body in chunks of this size, with larger chunks for longer items. */
export function pieces(
  adapter: UnaryAdapter,
  body: Uint8Array,
  size: number,
  maxCost = MAX_COST,
  headers: Headers = {},
): Work<Outcome | undefined> {
  const known = IN_PIECES.get(size) ?? new ResponseScanner(new Scanner({ usual: size, max: 2 * size }));
  IN_PIECES.set(size, known);
  return inPieces(known, adapter, body, maxCost, headers);
}

function* inPieces(
  scanner: ResponseScanner,
  adapter: UnaryAdapter,
  body: Uint8Array,
  maxCost: number,
  headers: Headers,
): Work<Outcome | undefined> {
  const subject = { ...adapter };
  const read = yield* scanner.readInPieces(subject, adapter.rules, responseOf(body, headers), maxCost);
  const found = read?.decoded;
  return found && { message: Buffer.from(found.bytes).toString("hex"), differences: found.differences };
}

/** The result of one of the two decoders for a page. */
export interface PageOutcome {
  /** The items in hexadecimal, or the error. */
  readonly items: readonly string[] | string;
  readonly differences: FoundDifferences;
  /** The response without the items, and the number of items. These determine the next page. */
  readonly around: unknown;
}

/** Returns the JavaScript decoder's result for a page. */
export function decodedPage(adapter: PaginateAdapter, body: Uint8Array, maxCost = MAX_COST): PageOutcome {
  return pageOutcome(adapter, () => readResponse(responseOf(body), adapter.rules, 0, maxCost));
}

/** Returns the scanner's result for a page; undefined if the scanner leaves the page to the decoder. */
export function scannedPage(
  adapter: PaginateAdapter,
  body: Uint8Array,
  maxCost = MAX_COST,
): PageOutcome | undefined {
  if (scanner === undefined) throw new Error("there is no WebAssembly");
  const subject = { ...adapter };
  let isLeft = false;
  const outcome = pageOutcome(adapter, () => {
    const read = scanner.page(subject, adapter.rules, responseOf(body), 0, maxCost);
    isLeft = read === undefined;
    return read;
  });
  return isLeft ? undefined : outcome;
}

function pageOutcome(adapter: PaginateAdapter, read: () => ReadResponse | undefined): PageOutcome {
  try {
    const response = read();
    if (response === undefined) throw new Error("left");
    const paths = {
      envelope: adapter.rules.envelope,
      paths: adapter.items,
      empty: adapter.empty,
      item: adapter.item,
    };
    const page = new Page(response.body, paths);
    const { items, differences } = decoder.items(adapter, page, response, [...page.items.keys()]);
    const { next } = adapter;
    const last = next.kind === "cursor" && next.from === "last_item" ? page.items.at(-1) : undefined;
    return {
      items: items.map((item) => Buffer.from(item).toString("hex")),
      differences,
      around: {
        value: without(response.body.value, page.list),
        path: page.path,
        misshapen: page.misshapen,
        count: page.items.length,
        last,
        exact: response.body.exactly(),
        verbatim: response.body.verbatim(),
      },
    };
  } catch (error) {
    return { items: String(error), differences: NO_DIFFERENCES, around: undefined };
  }
}

/** Returns the same value with the list replaced by a placeholder, and with keys in the same order. */
function without(value: JsonValue | undefined, list: JsonValue | undefined): unknown {
  if (value === list && Array.isArray(list)) return "the list";
  if (Array.isArray(value)) return value.map((item) => without(item, list));
  if (value === null || typeof value !== "object") return value;
  return Object.entries(value).map(([key, item]) => [key, without(item, list)]);
}

function responseOf(body: Uint8Array, headers: Headers = {}) {
  return {
    status: 200,
    headers: { "content-type": "application/json", ...headers },
    body,
    truncated: false,
    configuredCredentials: false,
    secrets: [],
  };
}

/**
 * Returns an adapter of a method that responds with a message.
 *
 * @param decode a hand-written decoder with the same result
 */
export function methodReadBy(body: MessageTable, decode?: Decode): UnaryAdapter {
  const rules = completeRules({ upstream: "api" });
  const adapter = { kind: "unary", rules, body, method: {} } as unknown as UnaryAdapter;
  if (decode !== undefined) {
    BY_HAND.set(adapter, ({ payload }: RestResponse, out: ProtoWriter) => out.root(payload, decode));
  }
  return adapter;
}
