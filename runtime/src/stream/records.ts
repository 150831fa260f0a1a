import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { RecordsAdapter } from "../adapter/adapter.ts";
import type { Download } from "../call/call-context.ts";
import type { RunningCall } from "../call/running-call.ts";
import { holdsExactly } from "../decode/read.ts";
import { restError } from "../errors/rest-error.ts";
import { isJsonObject, type JsonValue } from "../json/json.ts";
import { checkJsonCost, JsonTooCostly } from "../json/json-cost.ts";
import { parseJson, parseJsonVerbatim } from "../json/parse-json.ts";
import { setOwn } from "../request/encode.ts";
import { tooCostly } from "../response/read-response.ts";
import { type RecordText, recordTexts, truncated } from "./record-texts.ts";

/** What looks like lines of JSON at first, by what it begins with. */
const OTHERS: ReadonlyArray<{ readonly begins: RegExp; readonly name: string }> = [
  { begins: /^\s*\[/, name: "an array, which `records: {format: ARRAY}` reads" },
  {
    begins: /^(?:data|event|id|retry)\s*:/,
    name: "a server-sent event, which `records: {format: EVENT_STREAM}` reads",
  },
];

/**
 * The records of a response, as they come: lines of JSON, server-sent events, or the items of an array. The next one is read from
 * the upstream when it is asked for. A record that is an error, by a rule or by itself, ends the stream with it.
 *
 * @throws ConnectError reason UPSTREAM_TRUNCATED where the body ends within a record or before the end that the rule
 *   names, UPSTREAM_BODY_NOT_LINES, and what `recordTexts` throws
 */
export async function* records(
  call: RunningCall<RecordsAdapter>,
  message: MessageShape<DescMessage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { end, last, format } = call.adapter;
  const hasEnd = end.length > 0 || last !== undefined;
  // a stream without an end of its own is news, which nobody gets any more when all is closed
  const bounds = hasEnd || format === "array" ? {} : { until: call.route.upstream.closing };
  const download = await call.open(call.request(message), { bodyTimeoutMs: call.adapter.idleMs, ...bounds });
  let index = 0;
  for await (const text of recordTexts(call, download)) {
    if (isEnd(text, end)) return undefined;
    const json = readRecord(call, text, download);
    const verbatim = () => verbatimRecord(call.adapter, text);
    const bytes = call.record({ value: json, verbatim, malformed: text.malformed }, index++);
    if (bytes !== undefined) yield bytes;
    if (last !== undefined && isJsonObject(json) && holdsExactly(json, last, verbatim)) return undefined;
  }
  if (hasEnd) throw truncated(call);
  return undefined;
}

function isEnd({ data }: RecordText, end: readonly string[]): boolean {
  return end.length > 0 && end.includes(data.trim());
}

/** The record in a text, unless it is an error. */
function readRecord(
  call: RunningCall<RecordsAdapter>,
  text: RecordText,
  { head, errorIn }: Download,
): JsonValue | undefined {
  // what breaks off may well be JSON, but nobody knows whether it is all of it
  if (!text.ended && call.adapter.format === "events") throw truncated(call);
  if (call.adapter.format === "lines") checkLine(call, text, head.status);
  const json = parsedRecord(call, text, head.status);
  const error = errorIn(json, text.data, () => verbatimRecord(call.adapter, text));
  if (error !== undefined) throw error;
  return json;
}

/** Refuses a line of something that is no stream of lines, and says what it looks like. */
function checkLine({ adapter }: RunningCall<RecordsAdapter>, { data }: RecordText, status: number): void {
  const other = OTHERS.find(({ begins }) => begins.test(data));
  if (other === undefined) return;
  const { upstream } = adapter.rules;
  throw restError("UPSTREAM_BODY_NOT_LINES", { upstream, status, got: other.name });
}

function parsedRecord(
  call: RunningCall<RecordsAdapter>,
  text: RecordText,
  status: number,
): JsonValue | undefined {
  const { maxResponseCost } = call.route.upstream.settings;
  try {
    checkJsonCost(text.data, maxResponseCost);
    return recordOf(call.adapter, text, parseJson);
  } catch (cause) {
    if (cause instanceof JsonTooCostly) throw tooCostly(call.adapter.rules.upstream, maxResponseCost, cause);
    if (!text.ended) throw truncated(call);
    const { upstream } = call.adapter.rules;
    const got = `a record that is none (${text.data.length} characters)`;
    throw restError("UPSTREAM_BODY_NOT_JSON", { upstream, status, got }, { cause });
  }
}

type Parse = (text: string) => JsonValue | undefined;

/** The record as JSON: the data, with what else an event has under the keys that the rule names. */
function recordOf(adapter: RecordsAdapter, text: RecordText, parse: Parse): JsonValue | undefined {
  const { event, id, data } = adapter;
  const value = data === undefined ? parse(text.data) : dataOf(adapter, text.data, parse);
  if (data === undefined && !isJsonObject(value)) return value;
  const record: Record<string, JsonValue> = {};
  for (const [name, item] of data === undefined ? entriesOf(value) : [[data, value] as const]) {
    if (item !== undefined) setOwn(record, name, item);
  }
  if (event !== undefined && text.event !== undefined) setOwn(record, event, text.event);
  if (id !== undefined && text.id) setOwn(record, id, text.id);
  return record;
}

function entriesOf(value: JsonValue | undefined): ReadonlyArray<readonly [string, JsonValue | undefined]> {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** The record with every number as it is written; undefined where JSON.parse keeps them all. */
function verbatimRecord(adapter: RecordsAdapter, text: RecordText): JsonValue | undefined {
  let isChanged = false;
  const record = recordOf(adapter, text, (data) => {
    const verbatim = parseJsonVerbatim(data);
    isChanged = verbatim !== undefined;
    return verbatim ?? parseJson(data);
  });
  return isChanged ? record : undefined;
}

/** Data below a key: JSON if it is some, else text. */
function dataOf({ text: isText }: RecordsAdapter, data: string, parse: Parse): JsonValue | undefined {
  if (isText) return data;
  try {
    return parse(data) ?? data;
  } catch {
    return data;
  }
}
