import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { RecordsAdapter } from "../adapter/adapter.ts";
import type { Download, RunningCall } from "../call/running-call.ts";
import { holds } from "../decode/read.ts";
import { restError } from "../errors/rest-error.ts";
import { ChunkBuffer } from "../http/chunk-buffer.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { parseJson, parseJsonExactly } from "../json/parse-json.ts";
import { setOwn } from "../request/encode.ts";
import { textOf } from "../response/body.ts";
import { MAX_ERROR_BYTES } from "../upstream/upstream.ts";
import { type Line, linesOf, RecordTooLarge } from "./lines.ts";
import { eventsOf, type ServerEvent } from "./server-events.ts";

/**
 * The records of a response, as they come: lines of JSON, or server-sent events. The next one is read from the upstream
 * when it is asked for. A record that an error rule fits ends the stream with its error.
 *
 * @throws ConnectError reason UPSTREAM_TRUNCATED where the body ends within a record or before the end that the rule
 *   names, UPSTREAM_BODY_NOT_JSON, UPSTREAM_BODY_NOT_EVENTS, UPSTREAM_RECORD_TOO_LARGE, and what the body throws
 */
export async function* records(
  call: RunningCall<RecordsAdapter>,
  message: MessageShape<DescMessage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { end, last } = call.adapter;
  const hasEnd = end.length > 0 || last !== undefined;
  // a stream without an end of its own is news, which nobody gets any more when all is closed
  const bounds = hasEnd ? {} : { until: call.route.upstream.closing };
  const download = await call.open(call.request(message), { bodyTimeoutMs: call.adapter.idleMs, ...bounds });
  let index = 0;
  for await (const text of textsOf(call, download)) {
    if (isEnd(text, end)) return undefined;
    const json = readRecord(call, text, download);
    const bytes = call.record(json, () => recordOf(call.adapter, text, parseJsonExactly), index++);
    if (bytes !== undefined) yield bytes;
    if (last !== undefined && isJsonObject(json) && holds(json, last)) return undefined;
  }
  if (hasEnd) throw truncated(call);
  return undefined;
}

/** A record before it is parsed: a line, or an event. */
type RecordText = Partial<Pick<ServerEvent, "event" | "id">> & Pick<ServerEvent, "data" | "ended">;

async function* textsOf(
  call: RunningCall<RecordsAdapter>,
  download: Download,
): AsyncGenerator<RecordText, undefined> {
  const { maxResponseBytes: limit } = call.route.upstream.settings;
  const { format } = call.adapter;
  if (format === "events") await checkType(call, download);
  const type = download.head.header("content-type");
  try {
    // events are UTF-8, whatever the Content-Type says (WHATWG HTML section 9.2.4)
    if (format === "events") {
      yield* eventsOf(linesOf(download.chunks, "any", limit), limit);
    } else {
      yield* jsonLines(linesOf(download.chunks, "lf", limit, type));
    }
  } catch (error) {
    if (!(error instanceof RecordTooLarge)) throw error;
    const { upstream } = call.adapter.rules;
    throw restError("UPSTREAM_RECORD_TOO_LARGE", { upstream, limit }, { cause: error });
  }
  return undefined;
}

async function* jsonLines(lines: AsyncIterable<readonly Line[]>): AsyncGenerator<RecordText, undefined> {
  for await (const chunk of lines) {
    for (const { text, ended } of chunk) if (text.trim() !== "") yield { data: text, ended };
  }
  return undefined;
}

function isEnd({ data }: RecordText, end: readonly string[]): boolean {
  return end.length > 0 && end.includes(data.trim());
}

/** A body of another type is no stream of events (WHATWG HTML section 9.2.3); it may be an error by a rule. */
async function checkType(
  call: RunningCall<RecordsAdapter>,
  { head, chunks, errorIn }: Download,
): Promise<void> {
  const type = head.header("content-type");
  if (/^text\/event-stream\s*(;|$)/i.test(type ?? "") || head.status === 204) return;
  const beginning = new ChunkBuffer();
  for await (const chunk of chunks) {
    beginning.push(chunk);
    if (beginning.size > MAX_ERROR_BYTES) break;
  }
  const text = textOf(beginning.bytes(), type);
  const error = errorIn(parsed(text), text);
  if (error !== undefined) throw error;
  const { upstream } = call.adapter.rules;
  const got = type ?? "no Content-Type";
  throw restError("UPSTREAM_BODY_NOT_EVENTS", { upstream, status: head.status, got });
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The record in a text, unless it is an error. */
function readRecord(
  call: RunningCall<RecordsAdapter>,
  text: RecordText,
  { head, errorIn }: Download,
): JsonValue | undefined {
  // what breaks off may well be JSON, but nobody knows whether it is all of it
  if (!text.ended && call.adapter.format === "events") throw truncated(call);
  const json = parsedRecord(call, text, head.status);
  const error = errorIn(json, text.data);
  if (error !== undefined) throw error;
  return json;
}

function parsedRecord(
  call: RunningCall<RecordsAdapter>,
  text: RecordText,
  status: number,
): JsonValue | undefined {
  try {
    return recordOf(call.adapter, text, parseJson);
  } catch (cause) {
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
  if (data === undefined) {
    Object.assign(record, value as JsonObject);
  } else if (value !== undefined) setOwn(record, data, value);
  if (event !== undefined && text.event !== undefined) setOwn(record, event, text.event);
  if (id !== undefined && text.id) setOwn(record, id, text.id);
  return record;
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

function truncated({ adapter: { rules } }: RunningCall<RecordsAdapter>): Error {
  return restError("UPSTREAM_TRUNCATED", { upstream: rules.upstream });
}
