import {
  type Difference,
  type FoundDifferences,
  MAX_KEPT,
  NO_DIFFERENCES,
  type ProtoWriter,
} from "connect-rest-codec/internal";
import type {
  DownloadAdapter,
  OperationAdapter,
  PaginateAdapter,
  PollAdapter,
  RecordsAdapter,
  UnaryAdapter,
  UploadAdapter,
} from "../adapter/adapter.ts";
import type { RestResponse } from "../adapter/rest-response.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { RecordBody } from "../response/decode.ts";
import type { Decoded, DecodedItems } from "../response/decoded.ts";
import { keysOf, noteSharedKeys } from "../response/item-key.ts";
import { type ListRules, Page } from "../response/page.ts";
import { noteUnknownKeys } from "../response/page-keys.ts";
import { noteKeys, notePlaces } from "../response/page-places.ts";
import type { ReadResponse } from "../response/read-response.ts";
import { shapeError } from "../response/shape-error.ts";
import { reportDifferences, sumOf } from "./differences.ts";
import type { RunningCall } from "./running-call.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Decodable = UnaryAdapter | UploadAdapter | OperationAdapter;

/** Returns the message of a response. `rules` replace the rules of the method. */
export function messageOf(
  call: RunningCall<Decodable>,
  response: ReadResponse,
  rules: MethodRules = call.adapter.rules,
): Bytes | Promise<Bytes> {
  const { decoder } = call.settings;
  const { adapter } = call;
  return response.body.inPieces === undefined
    ? reported(
        call,
        call.knowing(() => decoder.message(adapter, response, rules, isWrite(call))),
      ).bytes
    : call
        .inTurns(decoder.messageInParts(adapter, response, rules))
        .then((decoded) => reported(call, decoded).bytes);
}

/** Reports whether the last request may have changed data at the upstream. */
function isWrite({ progress }: RunningCall): boolean {
  const { verb } = progress.counts;
  return verb !== "GET" && verb !== "HEAD";
}

/** Reports the differences that `note` writes to a ProtoWriter, without decoding a message. */
export function noteIn(call: RunningCall, note: (out: ProtoWriter) => void): void {
  reported(call, { differences: call.settings.decoder.noted(note) });
}

/**
 * Returns the page in a list response. A response without a body is a page without items if its status allows
 * that.
 *
 * @throws ConnectError reason RESPONSE_SHAPE if there is neither a list nor a representation of an empty list
 */
export function pageOf(
  call: RunningCall<PaginateAdapter | PollAdapter>,
  response: ReadResponse,
  paths: ListRules["paths"],
  empty?: ListRules["empty"],
): Page {
  const { adapter } = call;
  const { item, rules } = adapter;
  const page = new Page(response.body, { envelope: rules.envelope, paths, empty, item });
  const { misshapen } = page;
  if (misshapen !== undefined && response.status !== 204) throw shapeError(adapter, misshapen);
  return page;
}

/** Returns the differences around the items of a page. */
export function aroundItems(
  { adapter, settings }: RunningCall<PaginateAdapter | PollAdapter>,
  page: Page,
  { status }: ReadResponse,
): FoundDifferences {
  return settings.decoder.noted((out) => {
    notePlaces(adapter, page, out);
    noteUnknownKeys(adapter, page, status, out);
  });
}

/** Reports differences. */
export function report(call: RunningCall, differences: FoundDifferences): void {
  reported(call, { differences });
}

/**
 * Returns the keys of the first `most` items on a feed's page. Reports different items that have the same
 * key.
 */
export function feedKeys(call: RunningCall<PollAdapter>, page: Page, most?: number): readonly string[] {
  const keys = keysOf(call.adapter, page, most);
  noteIn(call, (out) => noteSharedKeys(page, keys, out));
  return keys;
}

/**
 * Returns items on a page as response messages.
 *
 * @param indices default: all items
 * @param found other differences of the page, which are reported in the same report
 */
export function itemsOf(
  call: RunningCall<PaginateAdapter | PollAdapter>,
  page: Page,
  response: ReadResponse,
  indices: readonly number[] = [...page.items.keys()],
  found: FoundDifferences = NO_DIFFERENCES,
): readonly Bytes[] | Promise<readonly Bytes[]> {
  const { decoder } = call.settings;
  const { adapter } = call;
  const whole = ({ items, differences }: DecodedItems) => {
    const noted = decoder.noted((out) => noteKeys(adapter, page, indices, out));
    return reported(call, { items, differences: together(found, noted, differences) }).items;
  };
  return response.body.inPieces === undefined
    ? whole(call.knowing(() => decoder.items(adapter, page, response, indices)))
    : call.inTurns(decoder.itemsInParts(adapter, page, response, indices)).then(whole);
}

/** Returns a record as a response message, or undefined if the record is not an object. */
export function recordOf(
  call: RunningCall<RecordsAdapter>,
  record: RecordBody,
  index: number,
): Bytes | undefined | Promise<Bytes | undefined> {
  const { decoder } = call.settings;
  const { adapter } = call;
  return record.inPieces === undefined
    ? reported(
        call,
        call.knowing(() => decoder.record(adapter, record, index)),
      ).bytes
    : call
        .inTurns(decoder.recordInParts(adapter, record, index))
        .then((decoded) => reported(call, decoded).bytes);
}

/** Returns a chunk as a response message. */
export function chunkOf(
  call: RunningCall<DownloadAdapter>,
  head: RestResponse | undefined,
  chunk: Uint8Array | undefined,
): Uint8Array<ArrayBuffer> {
  return reported(
    call,
    call.knowing(() => call.settings.decoder.chunk(call.adapter, head, chunk)),
  ).bytes;
}

const SEVERITY = { additional: 0, converted: 1, lost: 2 } as const;

/**
 * Merges the differences of several parts of a response. If two parts have a difference with the same path,
 * only the more severe one counts.
 */
export function together(...parts: readonly FoundDifferences[]): FoundDifferences {
  const [only, ...others] = parts.filter(({ list }) => list.length > 0);
  if (only === undefined || others.length === 0) return only ?? NO_DIFFERENCES;
  let counts = only.counts;
  let list = [...only.list];
  for (const part of others) {
    const known = new Map(list.map((each) => [each.path, each]));
    const added: Difference[] = [];
    const dropped = { additional: 0, converted: 0, lost: 0 };
    for (const each of part.list) {
      const before = known.get(each.path);
      const isWorse = before === undefined || SEVERITY[each.class] > SEVERITY[before.class];
      if (isWorse) added.push(each);
      if (before !== undefined) dropped[isWorse ? before.class : each.class]--;
      if (before !== undefined && isWorse) list = list.filter((one) => one !== before);
    }
    list.push(...added);
    counts = sumOf(sumOf(counts, part.counts), dropped);
  }
  const kept = { additional: 0, converted: 0, lost: 0 };
  return { list: list.filter((each) => ++kept[each.class] <= MAX_KEPT), counts };
}

/** Reports the differences of a decoded value, and returns the value. */
function reported<T extends Pick<Decoded, "differences" | "isSettled">>(call: RunningCall, decoded: T): T {
  reportDifferences(
    decoded,
    call.adapter,
    call.settings,
    () => call.secrets(),
    (counts) => call.progress.differed(counts),
  );
  return decoded;
}
