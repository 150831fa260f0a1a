import { ChunkBuffer, parseJsonExactly, smallJson } from "connect-rest-codec/internal";
import type { RecordsAdapter } from "../adapter/adapter.ts";
import type { Download } from "../call/call-context.ts";
import type { RunningCall } from "../call/running-call.ts";
import { restError } from "../errors/rest-error.ts";
import { textOf } from "../response/body.ts";
import { inUtf8 } from "../response/charset.ts";
import { Pacer } from "../time/pacer.ts";
import { MAX_ERROR_BYTES } from "../upstream/upstream.ts";
import { ArrayFault, ArraySplitter } from "./array-splitter.ts";
import { batchesOf } from "./batches.ts";
import { linesOf, RecordTooLarge } from "./lines.ts";
import { eventsOf, type ServerEvent } from "./server-events.ts";

/** A record before it is parsed: a line, an event, or an item of an array. */
export type RecordText = Partial<Pick<ServerEvent, "event" | "id">> &
  Pick<ServerEvent, "data" | "ended" | "malformed">;

type Call = RunningCall<RecordsAdapter>;
type RecordTexts = AsyncGenerator<RecordText, undefined>;

/** Matches keep-alive lines and comments, since no JSON begins like this. */
const COMMENT = /^\s*(?::|#|\/\/)/;
const RECORD_SEPARATOR = "\u001e";

/**
 * Yields the records of a body as it arrives, in the format that the adapter names.
 *
 * @throws ConnectError reason UPSTREAM_TRUNCATED for an incomplete array, UPSTREAM_BODY_NOT_JSON,
 * UPSTREAM_BODY_NOT_EVENTS, UPSTREAM_BODY_NOT_ARRAY, UPSTREAM_RECORD_TOO_LARGE, and any error of the body
 */
export async function* recordTexts(call: Call, download: Download): RecordTexts {
  const { upstream } = call.adapter.rules;
  try {
    yield* READERS[call.adapter.format](call, download, new Pacer(call.context.signal));
  } catch (error) {
    if (error instanceof RecordTooLarge) {
      const { maxResponseBytes: limit } = call.route.upstream.settings;
      throw restError("UPSTREAM_RECORD_TOO_LARGE", { upstream, limit }, { cause: error });
    }
    if (!(error instanceof ArrayFault)) throw error;
    const { status } = download.head;
    throw restError("UPSTREAM_BODY_NOT_JSON", { upstream, status, got: error.message }, { cause: error });
  }
  return undefined;
}

/** Returns the error for a body that ends too early. */
export function truncated({ adapter: { rules } }: Call): Error {
  return restError("UPSTREAM_TRUNCATED", { upstream: rules.upstream });
}

const READERS = { lines: lineTexts, events: eventTexts, array: arrayTexts } as const;

async function* eventTexts(call: Call, download: Download, pacer: Pacer): RecordTexts {
  const { maxResponseBytes: limit } = call.route.upstream.settings;
  await checkType(call, download);
  // events are in UTF-8, even if the Content-Type names another charset (WHATWG HTML section 9.2.4)
  yield* eventsOf(linesOf(download.chunks, "any", limit, pacer), limit);
  return undefined;
}

async function* lineTexts(call: Call, { head, chunks }: Download, pacer: Pacer): RecordTexts {
  const { maxResponseBytes: limit } = call.route.upstream.settings;
  const { end } = call.adapter;
  const type = head.header("content-type");
  const isSequence = /^application\/([\w.-]+\+)?json-seq\s*(;|$)/i.test(type ?? "");
  let comments = 0;
  let records = 0;
  for await (const lines of linesOf(inUtf8(chunks, type), isSequence ? "rs" : "lf", limit, pacer)) {
    for (const { text, ended, malformed } of lines) {
      const data = text.startsWith(RECORD_SEPARATOR) ? text.slice(1) : text;
      if (data.trim() === "") continue;
      if (COMMENT.test(data) && !end.includes(data.trim())) {
        comments++;
        continue;
      }
      records++;
      // the text of a record in a sequence is complete if whitespace follows it (RFC 7464 section 2.4)
      yield { data, ended: ended || (isSequence && /\s$/.test(data)), malformed };
    }
  }
  if (records === 0 && comments > 0 && !/json/i.test(type ?? "")) throw onlyComments(call, head.status, type);
  return undefined;
}

/**
 * Returns an error if all lines are comments. A body of another type may look like comments, and must not
 * pass as an empty stream.
 */
function onlyComments({ adapter }: Call, status: number, type: string | undefined): Error {
  const { upstream } = adapter.rules;
  const got = `nothing but comments (${type ?? "no Content-Type"})`;
  return restError("UPSTREAM_BODY_NOT_JSON", { upstream, status, got });
}

async function* arrayTexts(call: Call, download: Download, pacer: Pacer): RecordTexts {
  const { head } = download;
  const splitter = new ArraySplitter(call.route.upstream.settings.maxResponseBytes);
  const chunks = untilOther(inUtf8(download.chunks, head.header("content-type")), splitter);
  for await (const items of batchesOf(chunks, (chunk) => splitter.items(chunk), pacer)) {
    for (const { text, malformed } of items) yield { data: text, ended: true, malformed };
  }
  if (splitter.other !== undefined) throw notArray(call, download, splitter.other);
  if (!splitter.ended && !isWithoutBody(head)) throw truncated(call);
  return undefined;
}

/** Reports whether the head of the response declares that no body follows, so that nothing was cut off. */
function isWithoutBody({ status, header }: Download["head"]): boolean {
  return status === 204 || header("content-length") === "0";
}

/**
 * Yields the chunks of a body. If the body is not an array, yields only the first chunks, which may contain
 * an error.
 */
async function* untilOther(
  chunks: AsyncIterable<Uint8Array>,
  splitter: ArraySplitter,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of chunks) {
    yield chunk;
    if ((splitter.other?.length ?? 0) > MAX_ERROR_BYTES) return undefined;
  }
  return undefined;
}

function notArray({ adapter }: Call, { head, errorIn }: Download, beginning: Uint8Array): Error {
  const text = textOf(beginning, undefined);
  const error = errorIn(smallJson(text, parseJsonExactly), text);
  if (error !== undefined) return error;
  const { upstream } = adapter.rules;
  const type = head.header("content-type") ?? "no Content-Type";
  const got = text.startsWith("{") ? `an object (${type})` : type;
  return restError("UPSTREAM_BODY_NOT_ARRAY", { upstream, status: head.status, got });
}

/**
 * Rejects a body that is not an event stream according to its type (WHATWG HTML section 9.2.3). A rule may
 * define such a body as an error.
 */
async function checkType(call: Call, { head, chunks, errorIn }: Download): Promise<void> {
  const type = head.header("content-type");
  if (/^text\/event-stream\s*(;|$)/i.test(type ?? "") || head.status === 204) return;
  const beginning = new ChunkBuffer();
  for await (const chunk of chunks) {
    beginning.push(chunk);
    if (beginning.size > MAX_ERROR_BYTES) break;
  }
  const text = textOf(beginning.bytes(), type);
  const error = errorIn(smallJson(text, parseJsonExactly), text);
  if (error !== undefined) throw error;
  const { upstream } = call.adapter.rules;
  const got = type ?? "no Content-Type";
  throw restError("UPSTREAM_BODY_NOT_EVENTS", { upstream, status: head.status, got });
}
