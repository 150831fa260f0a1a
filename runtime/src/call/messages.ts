import { type FoundDifferences, MAX_KEPT, type ProtoWriter } from "connect-rest-codec/internal";
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

/** The response message in a response; `rules` in place of the method's own. */
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

/** Whether the request that was sent last may have changed something. */
function isWrite({ progress }: RunningCall): boolean {
  const { verb } = progress.counts;
  return verb !== "GET" && verb !== "HEAD";
}

/** Reports what a function notes, beside a message. */
export function noteIn(call: RunningCall, note: (out: ProtoWriter) => void): void {
  reported(call, { differences: call.settings.decoder.noted(note) });
}

/**
 * The list in a response; one without a body, by its status, is a page without items. What it has beside its
 * items, and no rule knows, is reported.
 *
 * @throws ConnectError reason RESPONSE_SHAPE where there is neither a list nor what stands for an empty one
 */
export function pageOf(
  call: RunningCall<PaginateAdapter | PollAdapter>,
  response: ReadResponse,
  paths: ListRules["paths"],
  empty?: ListRules["empty"],
): Page {
  const { adapter } = call;
  const page = new Page(response.body, { envelope: adapter.rules.envelope, paths, empty });
  const { misshapen } = page;
  if (misshapen !== undefined && response.status !== 204) throw shapeError(adapter, misshapen);
  noteIn(call, (out) => {
    notePlaces(adapter, page, out);
    noteUnknownKeys(adapter, page, out);
  });
  return page;
}

/** Reports what was lost between the page before and a page. */
export function reportLost(call: RunningCall<PaginateAdapter>, differences: FoundDifferences): void {
  reported(call, { differences });
}

/** The keys of the first `most` items of a feed's page. What is not told apart by them is reported. */
export function feedKeys(call: RunningCall<PollAdapter>, page: Page, most?: number): readonly string[] {
  const keys = keysOf(call.adapter, page, most);
  noteIn(call, (out) => noteSharedKeys(page, keys, out));
  return keys;
}

/** Items of a page as response messages, by default all of them. */
export function itemsOf(
  call: RunningCall<PaginateAdapter | PollAdapter>,
  page: Page,
  response: ReadResponse,
  indices: readonly number[] = [...page.items.keys()],
): readonly Bytes[] | Promise<readonly Bytes[]> {
  const { decoder } = call.settings;
  const { adapter } = call;
  const whole = ({ items, differences }: DecodedItems) => {
    const noted = decoder.noted((out) => noteKeys(adapter, page, indices, out));
    return reported(call, { items, differences: together(noted, differences) }).items;
  };
  return response.body.inPieces === undefined
    ? whole(call.knowing(() => decoder.items(adapter, page, response, indices)))
    : call.inTurns(decoder.itemsInParts(adapter, page, response, indices)).then(whole);
}

/** A response message with a record; undefined where it is no object. */
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

/** A response message with a chunk. */
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

/** Differences of two parts of a response. */
export function together(first: FoundDifferences, second: FoundDifferences): FoundDifferences {
  if (first.list.length === 0) return second;
  const kept = { additional: 0, converted: 0, lost: 0 };
  const list = [...first.list, ...second.list].filter((each) => ++kept[each.class] <= MAX_KEPT);
  return { list, counts: sumOf(first.counts, second.counts) };
}

/** What was decoded, its differences reported. */
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
