import { ConnectError } from "@connectrpc/connect";
import type { Difference, FoundDifferences, JsonValue, Work } from "connect-rest-codec/internal";
import {
  declaredText,
  type ItemParts,
  JsonTooDeep,
  joined,
  joinedDifferences,
  ProtoWriter,
  readingOf,
  sequence,
  WrongShape,
} from "connect-rest-codec/internal";
import type {
  AnyMethodAdapter,
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
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import type { Body, PiecewiseBody } from "./body.ts";
import type { Decoded, DecodedItems } from "./decoded.ts";
import { isAllowedAbsence, isSpelledOut, misshapen } from "./empty.ts";
import { payloadOf } from "./envelope.ts";
import { noteAround } from "./envelope-keys.ts";
import type { Page } from "./page.ts";
import type { ReadResponse } from "./read-response.ts";
import { shapeError } from "./shape-error.ts";
import { readsPath } from "./success-errors.ts";
import { writeMessage } from "./write-message.ts";

/** Adapters whose whole response is one message. */
type WholeAdapter = UnaryAdapter | UploadAdapter | OperationAdapter;

/** A record of a stream. */
export interface RecordBody extends Pick<Body, "value" | "verbatim" | "malformed"> {
  /** Set only for a large record. */
  readonly inPieces?: Pick<PiecewiseBody, "verbatim">;
}

/** A decoded record. `bytes` is undefined if the record is not an object. */
type DecodedRecord = Partial<Decoded> & Pick<Decoded, "differences">;

const NOT_UTF8: Difference = { path: "(root)", expected: "UTF-8", got: "other bytes", class: "lost" };

/** A response without a payload, which records whether the message needs one. */
class EmptyResponse implements RestResponse {
  wasAsked = false;
  readonly status: number;
  readonly header: RestResponse["header"];
  readonly bytes: Uint8Array | undefined;
  private readonly given: JsonValue | undefined;

  constructor(
    status: number,
    header: RestResponse["header"],
    given: JsonValue | undefined,
    bytes: Uint8Array | undefined,
  ) {
    this.status = status;
    this.header = header;
    this.given = given;
    this.bytes = bytes;
  }

  get payload(): JsonValue | undefined {
    this.wasAsked = true;
    return this.given;
  }
}

/**
 * Decodes responses into response messages. All calls of a process share one decoder, whose buffer is reused.
 */
export class Decoder {
  private readonly out = new ProtoWriter();

  /**
   * @param maxKept the number of differences of each class to keep. Default: 100
   * @param onUndeclared called for each value of a body that no field declares
   */
  constructor(maxKept?: number, onUndeclared?: ProtoWriter["onUndeclared"]) {
    if (maxKept !== undefined) this.out.maxKept = maxKept;
    this.out.onUndeclared = onUndeclared;
  }

  /**
   * Writes the response message. In the parsed body, integers beyond 2^53 are rounded. If the message needs
   * one of them, the body is parsed again without rounding, and decoded again.
   *
   * @param isWrite whether the request may have changed data, so that a response without a body is not an
   *   error
   * @throws ConnectError INTERNAL, reason RESPONSE_SHAPE, UPSTREAM_BODY_TOO_DEEP or ADAPTER_FAILED
   */
  message(
    adapter: WholeAdapter,
    response: ReadResponse,
    rules: MethodRules = adapter.rules,
    isWrite = false,
  ): Decoded {
    const { out } = this;
    const { body, decoded } = response;
    if (decoded !== undefined) return decoded;
    const isSettled = isWrite && body.value === undefined && body.bytes === undefined;
    guarded(adapter, () => {
      this.write(out, adapter, response, rules, body.value, false, isSettled);
      const better = verbatimOf(out, body.value, body.verbatim);
      if (better !== undefined) this.write(out, adapter, response, rules, better.value, true, isSettled);
    });
    const differences = withMalformed(out.found(), body.malformed);
    return { bytes: out.finish(), differences, isSettled };
  }

  /** Like `message`, but in pieces, for a large body. */
  *messageInParts(
    adapter: WholeAdapter,
    response: ReadResponse,
    rules: MethodRules = adapter.rules,
  ): Work<Decoded> {
    const out = new ProtoWriter();
    const { body } = response;
    const write = (value: JsonValue | undefined, exact: boolean) =>
      out.inParts(() => this.write(out, adapter, response, rules, value, exact));
    try {
      let segment = yield* write(body.value, false);
      const better = yield* verbatimInPieces(out, body.value, body);
      if (better !== undefined) segment = yield* write(better.value, true);
      const differences = withMalformed(joinedDifferences(segment), body.malformed);
      return { bytes: yield* joined(segment), differences };
    } catch (cause) {
      throw decodeError(adapter, cause);
    }
  }

  private write(
    out: ProtoWriter,
    adapter: WholeAdapter,
    response: ReadResponse,
    rules: MethodRules,
    value: JsonValue | undefined,
    exact: boolean,
    isSettled = false,
  ): void {
    const { status, header, body } = response;
    // `reset` keeps the differences on the path to the payload
    out.reset(exact, body.textual);
    const payload = payloadOf(value, rules.envelope, rules.payloadType, out.misstep);
    if (payload === undefined || isSpelledOut(payload, rules.envelope?.empty)) {
      out.payloadMayBeEmpty();
      this.empty(out, adapter, rules, value, payload, response, isSettled);
    } else {
      writeMessage(adapter, { status, header, payload, bytes: body.bytes }, out);
    }
    noteAround(rules, value, status, (path) => readsPath(adapter, path), out, rules.payloadType);
  }

  /**
   * Writes a message without a payload. A missing payload is an error, since the response would otherwise
   * look like success. It is not an error if the response represents an empty value, if the message needs no
   * payload, or after a successful write, since an error would invite the caller to write again.
   */
  private empty(
    out: ProtoWriter,
    adapter: WholeAdapter,
    rules: MethodRules,
    value: JsonValue | undefined,
    payload: JsonValue | undefined,
    { status, header, body }: ReadResponse,
    isSettled: boolean,
  ): void {
    const given = payload !== null && typeof payload === "object" ? payload : undefined;
    const response = new EmptyResponse(status, header, given, body.bytes);
    writeMessage(adapter, response, out);
    const mayLack = status < 200 || status > 299 || status === 204 || status === 205;
    if (mayLack || payload !== undefined || !response.wasAsked) return;
    if (body.bytes !== undefined || rules.responseEncoding === "empty") return;
    if (isAllowedAbsence(value, rules.envelope)) return;
    if (!isSettled) {
      throw shapeError(adapter, misshapen(rules.envelope?.payload[0] ?? "", "a payload", undefined));
    }
    out.drop("", "a body", undefined);
  }

  /**
   * Writes items of a page, in the order of `indices`. Skips items that are not objects. Throws the same
   * errors as `message`.
   */
  items(
    adapter: PaginateAdapter | PollAdapter,
    page: Page,
    response: ReadResponse,
    indices: readonly number[],
  ): DecodedItems {
    if (response.items !== undefined) return response.items;
    const { out } = this;
    const reading = readingOf(adapter.item);
    const write = ({ path, items }: Page, exact: boolean) => {
      out.reset(exact, response.body.textual);
      const list = declaredText(path);
      return indices
        .map((index) => out.item(items[index], list, index, reading))
        .filter((item) => item !== undefined);
    };
    const items = guarded(adapter, () => {
      const fast = write(page, false);
      const better = verbatimOf(out, page, () => page.verbatim());
      return better === undefined ? fast : write(better.value, true);
    });
    return { items, differences: withMalformed(out.found(), response.body.malformed) };
  }

  /** Like `items`, but in pieces, for a large body. */
  *itemsInParts(
    adapter: PaginateAdapter | PollAdapter,
    page: Page,
    { body }: ReadResponse,
    indices: readonly number[],
  ): Work<DecodedItems> {
    const out = new ProtoWriter();
    const reading = readingOf(adapter.item);
    const write = function* ({ path, items }: Page, exact: boolean): Work<readonly ItemParts[]> {
      out.reset(exact, body.textual);
      const list = declaredText(path);
      const all: ItemParts[] = [];
      for (const index of indices) {
        all.push(yield* out.itemInParts(items[index], list, index, reading));
        yield 1;
      }
      return all;
    };
    try {
      let all = yield* write(page, false);
      const better = yield* verbatimInPieces(out, page, {
        verbatim: () => page.verbatim(),
        inPieces: body.inPieces && { verbatim: () => pageInPieces(page, body.inPieces) },
      });
      if (better !== undefined) all = yield* write(better.value, true);
      const found = joinedDifferences(sequence(all.map(({ segment }) => segment)));
      const items = all.map(({ bytes }) => bytes).filter((item) => item !== undefined);
      return { items, differences: withMalformed(found, body.malformed) };
    } catch (cause) {
      throw decodeError(adapter, cause);
    }
  }

  /**
   * Writes a record. Returns no bytes if the record is not an object. Throws the same errors as `message`.
   */
  record(adapter: RecordsAdapter, { value, verbatim, malformed }: RecordBody, index: number): DecodedRecord {
    const { out } = this;
    const write = (json: JsonValue | undefined, exact: boolean) => {
      out.reset(exact);
      return out.item(json, "", index, readingOf(adapter.item));
    };
    const bytes = guarded(adapter, () => {
      const fast = write(value, false);
      const better = verbatimOf(out, value, verbatim);
      return better === undefined ? fast : write(better.value, true);
    });
    return decodedRecord(bytes, withMalformed(out.found(), malformed, index));
  }

  /** Like `record`, but in pieces, for a large record. */
  *recordInParts(adapter: RecordsAdapter, record: RecordBody, index: number): Work<DecodedRecord> {
    const out = new ProtoWriter();
    const write = (json: JsonValue | undefined, exact: boolean) => {
      out.reset(exact);
      return out.itemInParts(json, "", index, readingOf(adapter.item));
    };
    try {
      let item = yield* write(record.value, false);
      const better = yield* verbatimInPieces(out, record.value, record);
      if (better !== undefined) item = yield* write(better.value, true);
      const found = joinedDifferences(item.segment);
      return decodedRecord(item.bytes, withMalformed(found, record.malformed, index));
    } catch (cause) {
      throw decodeError(adapter, cause);
    }
  }

  /** Returns the differences that `act` writes to a ProtoWriter, without decoding a message. */
  noted(act: (out: ProtoWriter) => void): FoundDifferences {
    this.out.reset();
    act(this.out);
    return this.out.found();
  }

  /**
   * Writes a message with a chunk. The first message also contains the head of the response. Throws the same
   * errors as `message`.
   */
  chunk(adapter: DownloadAdapter, head: RestResponse | undefined, chunk: Uint8Array | undefined): Decoded {
    this.out.reset();
    guarded(adapter, () => {
      if (head !== undefined) writeMessage({ head: adapter.head }, head, this.out);
      this.out.rawBytes(adapter.chunk, chunk);
    });
    return { bytes: this.out.finish(), differences: this.out.found() };
  }
}

/**
 * Returns the value to decode again if JSON.parse may have changed its numbers. Values that are not in the
 * body, such as a number in a header, stay rounded and are reported.
 */
function verbatimOf<V>(
  { inexact, keptNumbers }: ProtoWriter,
  value: V,
  verbatim: () => V | undefined,
): { readonly value: V } | undefined {
  if (!inexact && !keptNumbers) return undefined;
  const better = verbatim();
  return better === undefined && !inexact ? undefined : { value: better ?? value };
}

/** A value with all numbers as they were written, available synchronously or in pieces. */
interface Verbatim<V> {
  verbatim(): V | undefined;
  readonly inPieces?: { verbatim(): Work<V | undefined> } | undefined;
}

/** Like `verbatimOf`, but in pieces. */
function* verbatimInPieces<V>(
  { inexact, keptNumbers }: ProtoWriter,
  value: V,
  { verbatim, inPieces }: Verbatim<V>,
): Work<{ readonly value: V } | undefined> {
  if (!inexact && !keptNumbers) return undefined;
  const better = inPieces === undefined ? verbatim() : yield* inPieces.verbatim();
  return better === undefined && !inexact ? undefined : { value: better ?? value };
}

function* pageInPieces(page: Page, body: PiecewiseBody | undefined): Work<Page | undefined> {
  const value = body && (yield* body.verbatim());
  return value === undefined ? undefined : page.of(value);
}

/** @param index the index of the record, or undefined for a whole body */
function withMalformed(found: FoundDifferences, malformed: boolean, index?: number): FoundDifferences {
  if (!malformed) return found;
  const { list, counts } = found;
  const difference = index === undefined ? NOT_UTF8 : { ...NOT_UTF8, path: `[${index}]` };
  return { list: [difference, ...list], counts: { ...counts, lost: counts.lost + 1 } };
}

function decodedRecord(
  bytes: Uint8Array<ArrayBuffer> | undefined,
  differences: FoundDifferences,
): DecodedRecord {
  return bytes === undefined ? { differences } : { bytes, differences };
}

function guarded<T>(adapter: AnyMethodAdapter, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw decodeError(adapter, cause);
  }
}

function decodeError(adapter: AnyMethodAdapter, cause: unknown): ConnectError {
  const { method, rules } = adapter;
  const { upstream } = rules;
  if (cause instanceof ConnectError) return cause;
  if (cause instanceof WrongShape) {
    return shapeError(
      adapter,
      misshapen(adapter.rules.envelope?.payload[0] ?? "", cause.expected, cause.got),
    );
  }
  if (cause instanceof JsonTooDeep || cause instanceof RangeError) {
    return restError("UPSTREAM_BODY_TOO_DEEP", { upstream, problem: cause.message }, { cause });
  }
  return restError(
    "ADAPTER_FAILED",
    { upstream, method: fullName(method), step: "reading the response" },
    { cause },
  );
}
