import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { Work } from "connect-rest-codec/internal";
import {
  checkJsonCost,
  checkJsonCostInPieces,
  holdsExactly,
  isJsonObject,
  type JsonValue,
  joinedPath,
  ownValue,
  parseJson,
  parseJsonInPieces,
  parseJsonVerbatim,
  parseJsonVerbatimInPieces,
  stepText,
  TooCostly,
} from "connect-rest-codec/internal";
import type { RecordsAdapter } from "../adapter/adapter.ts";
import type { Download } from "../call/call-context.ts";
import { noteIn, recordOf } from "../call/messages.ts";
import { open } from "../call/open.ts";
import type { RunningCall } from "../call/running-call.ts";
import { restError } from "../errors/rest-error.ts";
import { setOwn } from "../request/encode.ts";
import { tooCostly } from "../response/read-response.ts";
import { type RecordText, recordTexts, truncated } from "./record-texts.ts";

type Call = RunningCall<RecordsAdapter>;

/** The length in characters above which records are read in pieces, so that other calls get a turn. */
const LARGE_RECORD = 64 * 1024;

/** Formats that may be mistaken for JSON lines, with patterns that match their beginnings. */
const OTHERS: ReadonlyArray<{ readonly begins: RegExp; readonly name: string }> = [
  { begins: /^\s*\[/, name: "an array, which `records: {format: ARRAY}` reads" },
  {
    begins: /^(?:data|event|id|retry)\s*:/,
    name: "a server-sent event, which `records: {format: EVENT_STREAM}` reads",
  },
];

/**
 * Yields the records of a response as they arrive: JSON lines, server-sent events, or the items of an array.
 * Reads from the upstream only when the next record is requested. If a record is an error, because of a rule
 * or its content, the stream ends with that error.
 *
 * @throws ConnectError reason UPSTREAM_TRUNCATED if the body ends within a record or before the end marker of
 *   the rule, UPSTREAM_BODY_NOT_LINES, and the errors of `recordTexts`
 */
export async function* records(
  call: RunningCall<RecordsAdapter>,
  message: MessageShape<DescMessage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { end, last, format } = call.adapter;
  const hasEnd = end.length > 0 || last !== undefined;
  // an endless stream is aborted when the upstream closes, since waiting for its end would take forever
  const bounds = hasEnd || format === "array" ? {} : { until: call.route.upstream.closing };
  const download = await open(call, call.request(message), { bodyTimeoutMs: call.adapter.idleMs, ...bounds });
  let index = 0;
  for await (const text of recordTexts(call, download)) {
    if (isEnd(text, end)) return undefined;
    const isLarge = text.data.length > LARGE_RECORD;
    const json = isLarge
      ? await call.inTurns(readRecordInPieces(call, text, download, index), text.data.length)
      : readRecord(call, text, download, index);
    const verbatim = () => verbatimRecord(call.adapter, text);
    const inPieces = { verbatim: () => verbatimRecordInPieces(call.adapter, text) };
    const record = { value: json, verbatim, malformed: text.malformed, ...(isLarge && { inPieces }) };
    const bytes = await recordOf(call, record, index++);
    if (bytes !== undefined) yield bytes;
    if (last !== undefined && isJsonObject(json) && holdsExactly(json, last, verbatim)) return undefined;
  }
  if (hasEnd) throw truncated(call);
  return undefined;
}

function isEnd({ data }: RecordText, end: readonly string[]): boolean {
  return end.length > 0 && end.includes(data.trim());
}

/** Parses a record. Throws if the record is an error. */
function readRecord(call: Call, text: RecordText, download: Download, index: number): JsonValue | undefined {
  checkBegin(call, text, download);
  try {
    checkJsonCost(text.data, maxCostOf(call));
    const record = recordJson(call.adapter, text, parseJson, lostAt(call, index));
    return checkedRecord(call, record, text, download);
  } catch (cause) {
    throw recordError(call, text, download, cause);
  }
}

/** Like `readRecord`, but in pieces. */
function* readRecordInPieces(
  call: Call,
  text: RecordText,
  download: Download,
  index: number,
): Work<JsonValue | undefined> {
  checkBegin(call, text, download);
  try {
    yield* checkJsonCostInPieces(text.data, maxCostOf(call));
    const record = yield* recordInPieces(call.adapter, text, parseJsonInPieces, lostAt(call, index));
    return checkedRecord(call, record, text, download);
  } catch (cause) {
    throw recordError(call, text, download, cause);
  }
}

function checkBegin(call: Call, text: RecordText, { head }: Download): void {
  // the data of an incomplete event may be valid JSON, but further data may be missing
  if (!text.ended && call.adapter.format === "events") throw truncated(call);
  if (call.adapter.format === "lines") checkLine(call, text, head.status);
}

function checkedRecord(
  call: Call,
  json: JsonValue | undefined,
  text: RecordText,
  { errorIn }: Download,
): JsonValue | undefined {
  const error = errorIn(json, text.data, () => verbatimRecord(call.adapter, text));
  if (error !== undefined) throw error;
  return json;
}

/**
 * Rejects a line of a body that does not consist of JSON lines, and names the format that the line looks
 * like.
 */
function checkLine({ adapter }: RunningCall<RecordsAdapter>, { data }: RecordText, status: number): void {
  const other = OTHERS.find(({ begins }) => begins.test(data));
  if (other === undefined) return;
  const { upstream } = adapter.rules;
  throw restError("UPSTREAM_BODY_NOT_LINES", { upstream, status, got: other.name });
}

function maxCostOf(call: Call): number {
  return call.route.upstream.settings.maxResponseCost;
}

/** Returns the error for a record that cannot be read or is itself an error. */
function recordError(call: Call, text: RecordText, { head }: Download, cause: unknown): unknown {
  const { upstream } = call.adapter.rules;
  if (cause instanceof ConnectError) return cause;
  if (cause instanceof TooCostly) return tooCostly(upstream, maxCostOf(call), cause);
  if (!text.ended) return truncated(call);
  const got = `a record that is none (${text.data.length} characters)`;
  return restError("UPSTREAM_BODY_NOT_JSON", { upstream, status: head.status, got }, { cause });
}

type Parse = (text: string) => JsonValue | undefined;

/** Receives a value of the data that the event's name or ID replaces. */
type OnReplaced = (key: string, value: JsonValue) => void;

/** Returns a function that reports replaced values of a record as lost. */
function lostAt(call: Call, index: number): OnReplaced {
  return (key, value) => {
    const path = joinedPath(`[${index}]`, stepText(key));
    noteIn(call, (out) => out.drop(path, "a key that the data of the event does not have", value));
  };
}

/**
 * Returns a record as JSON: the data, or an object that contains the data and other parts of an event under
 * the keys that the rule names.
 */
export function recordJson(
  adapter: RecordsAdapter,
  text: RecordText,
  parse: Parse,
  replaced?: OnReplaced,
): JsonValue | undefined {
  const value = adapter.data === undefined ? parse(text.data) : dataOf(adapter, text.data, parse);
  return recordWith(adapter, text, value, replaced);
}

/** Like `recordJson`, but in pieces. */
function* recordInPieces(
  adapter: RecordsAdapter,
  { data, ...text }: RecordText,
  parse: (text: string) => Work<JsonValue | undefined>,
  replaced?: OnReplaced,
): Work<JsonValue | undefined> {
  const value = adapter.data === undefined ? yield* parse(data) : yield* dataInPieces(adapter, data, parse);
  return recordWith(adapter, { data, ...text }, value, replaced);
}

function recordWith(
  { event, id, data }: RecordsAdapter,
  text: RecordText,
  value: JsonValue | undefined,
  replaced?: OnReplaced,
): JsonValue | undefined {
  if (data === undefined && (!isJsonObject(value) || (event === undefined && id === undefined))) return value;
  const record: Record<string, JsonValue> = {};
  for (const [name, item] of data === undefined ? entriesOf(value) : [[data, value] as const]) {
    if (item !== undefined) setOwn(record, name, item);
  }
  const add = (key: string | undefined, item: string | undefined) => {
    if (key === undefined || item === undefined) return;
    const own = ownValue(record, key) ?? null;
    if (own !== null && (typeof own === "object" || String(own) !== item)) replaced?.(key, own);
    setOwn(record, key, item);
  };
  add(event, text.event);
  add(id, text.id || undefined);
  return record;
}

function entriesOf(value: JsonValue | undefined): ReadonlyArray<readonly [string, JsonValue | undefined]> {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/**
 * Returns the record with every number as it was written, or undefined if JSON.parse preserves all numbers.
 */
function verbatimRecord(adapter: RecordsAdapter, text: RecordText): JsonValue | undefined {
  let isChanged = false;
  const record = recordJson(adapter, text, (data) => {
    const verbatim = parseJsonVerbatim(data);
    isChanged = verbatim !== undefined;
    return verbatim ?? parseJson(data);
  });
  return isChanged ? record : undefined;
}

/** Like `verbatimRecord`, but in pieces. */
function* verbatimRecordInPieces(adapter: RecordsAdapter, text: RecordText): Work<JsonValue | undefined> {
  let isChanged = false;
  const record = yield* recordInPieces(adapter, text, function* (data) {
    const verbatim = yield* parseJsonVerbatimInPieces(data);
    isChanged = verbatim !== undefined;
    return verbatim ?? (yield* parseJsonInPieces(data));
  });
  return isChanged ? record : undefined;
}

function* dataInPieces(
  { text: isText }: RecordsAdapter,
  data: string,
  parse: (text: string) => Work<JsonValue | undefined>,
): Work<JsonValue | undefined> {
  if (isText) return data;
  try {
    return (yield* parse(data)) ?? data;
  } catch {
    return data;
  }
}

/** Returns the data of a record, parsed if it is JSON, and otherwise as a string. */
function dataOf({ text: isText }: RecordsAdapter, data: string, parse: Parse): JsonValue | undefined {
  if (isText) return data;
  try {
    return parse(data) ?? data;
  } catch {
    return data;
  }
}
