import { ConnectError } from "@connectrpc/connect";
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
import type { Difference, FoundDifferences } from "../decode/difference.ts";
import { ProtoWriter } from "../decode/proto-writer.ts";
import { JsonTooDeep, WrongShape } from "../decode/shape-writer.ts";
import { restError } from "../errors/rest-error.ts";
import type { JsonValue } from "../json/json.ts";
import { fullName } from "../text/full-name.ts";
import type { Body } from "./body.ts";
import type { Decoded } from "./decoded.ts";
import { isAllowedAbsence, isSpelledOut, misshapen } from "./empty.ts";
import { payloadOf } from "./envelope.ts";
import type { Page } from "./page.ts";
import type { ReadResponse } from "./read-response.ts";
import { shapeError } from "./shape-error.ts";

/** Adapters whose responses are a message as a whole. */
type WholeAdapter = UnaryAdapter | UploadAdapter | OperationAdapter;

/** Items of a page, each a response message. */
export interface DecodedItems {
  readonly items: ReadonlyArray<Uint8Array<ArrayBuffer>>;
  readonly differences: FoundDifferences;
}

/** A record of a stream. */
export type RecordBody = Pick<Body, "value" | "verbatim" | "malformed">;

const NOT_UTF8: Difference = { path: "(root)", expected: "UTF-8", got: "other bytes", class: "converted" };

/** A response without a payload, which knows whether the message has use for one. */
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

/** Turns responses into response messages. One decoder serves all calls of a process: its buffer is reused. */
export class Decoder {
  private readonly out = new ProtoWriter();

  /**
   * Writes the response message. The body was parsed the fast way, which rounds integers beyond 2^53; only where
   * the message needs one of those is it parsed exactly and decoded again.
   *
   * @throws ConnectError INTERNAL, reason RESPONSE_SHAPE, UPSTREAM_BODY_TOO_DEEP or ADAPTER_FAILED
   */
  message(adapter: WholeAdapter, response: ReadResponse, rules: MethodRules = adapter.rules): Decoded {
    const { status, header, body, decoded } = response;
    if (decoded !== undefined) return decoded;
    const write = (value: JsonValue | undefined, exact: boolean) => {
      const payload = payloadOf(value, rules.envelope, rules.payloadType);
      if (payload === undefined || isSpelledOut(payload, rules.envelope?.empty)) {
        this.empty(adapter, rules, value, payload, response, exact);
      } else {
        this.out.reset(exact, body.textual);
        adapter.response({ status, header, payload, bytes: body.bytes }, this.out);
      }
    };
    this.guarded(adapter, () => {
      write(body.value, false);
      this.again(body.value, body.verbatim, (value) => write(value, true));
    });
    return { bytes: this.out.finish(), differences: this.differencesOf(response.body.malformed) };
  }

  /**
   * Writes a message without a payload. A response that should have one and does not would look like success: unless the
   * upstream spells "empty" so, or the message asks for none, it is an error.
   */
  private empty(
    adapter: WholeAdapter,
    rules: MethodRules,
    value: JsonValue | undefined,
    payload: JsonValue | undefined,
    { status, header, body }: ReadResponse,
    exact: boolean,
  ): void {
    this.out.reset(exact, body.textual, true);
    const given = payload !== null && typeof payload === "object" ? payload : undefined;
    const response = new EmptyResponse(status, header, given, body.bytes);
    adapter.response(response, this.out);
    const mayLack = status < 200 || status > 299 || status === 204 || status === 205;
    if (mayLack || payload !== undefined || !response.wasAsked) return;
    if (body.bytes !== undefined || rules.responseEncoding === "empty") return;
    if (!isAllowedAbsence(value, rules.envelope)) {
      throw shapeError(adapter, misshapen(rules.envelope?.payload[0] ?? "", "a payload", undefined));
    }
  }

  /** Writes items of a page, in the order of `indices`. An item that is no object is left out. Throws as `message`. */
  items(
    adapter: PaginateAdapter | PollAdapter,
    page: Page,
    response: ReadResponse,
    indices: readonly number[],
  ): DecodedItems {
    const write = ({ path, items }: Page, exact: boolean) => {
      this.out.reset(exact, response.body.textual);
      return indices
        .map((index) => this.out.item(items[index], path, index, adapter.item, adapter.itemIsValue))
        .filter((item) => item !== undefined);
    };
    const items = this.guarded(adapter, () => {
      const fast = write(page, false);
      return (
        this.again(
          page,
          () => page.verbatim(),
          (verbatim) => write(verbatim, true),
        ) ?? fast
      );
    });
    return { items, differences: this.differencesOf(response.body.malformed) };
  }

  /** Writes a record; without bytes where it is no object. Throws as `message`. */
  record(
    adapter: RecordsAdapter,
    { value, verbatim, malformed }: RecordBody,
    index: number,
  ): Partial<Decoded> & Pick<Decoded, "differences"> {
    const write = (json: JsonValue | undefined, exact: boolean) => {
      this.out.reset(exact);
      return this.out.item(json, "", index, adapter.item, adapter.itemIsValue);
    };
    const bytes = this.guarded(adapter, () => {
      const fast = write(value, false);
      return this.again(value, verbatim, (json) => write(json, true)) ?? fast;
    });
    const differences = this.differencesOf(malformed, index);
    return bytes === undefined ? { differences } : { bytes, differences };
  }

  /** Writes a message with a chunk; with the head of the response, if it is the first. Throws as `message`. */
  chunk(adapter: DownloadAdapter, head: RestResponse | undefined, chunk: Uint8Array | undefined): Decoded {
    this.out.reset();
    this.guarded(adapter, () => {
      if (head !== undefined) adapter.head(head, this.out);
      if (chunk !== undefined) adapter.chunk(chunk, this.out);
    });
    return { bytes: this.out.finish(), differences: this.out.found() };
  }

  /** Decodes once more where numbers were met that JSON.parse does not keep, or may not. */
  private again<V, T>(value: V, verbatim: () => V | undefined, write: (value: V) => T): T | undefined {
    const { inexact, keptNumbers } = this.out;
    if (!inexact && !keptNumbers) return undefined;
    const better = verbatim();
    // what is not in the body, such as a number of a header, stays rounded, and is reported
    return better === undefined && !inexact ? undefined : write(better ?? value);
  }

  /** @param index of the record that it is about; undefined for a whole body */
  private differencesOf(malformed: boolean, index?: number): FoundDifferences {
    const found = this.out.found();
    if (!malformed) return found;
    const { list, counts } = found;
    const difference = index === undefined ? NOT_UTF8 : { ...NOT_UTF8, path: `[${index}]` };
    return { list: [difference, ...list], counts: { ...counts, converted: counts.converted + 1 } };
  }

  private guarded<T>(adapter: AnyMethodAdapter, act: () => T): T {
    try {
      return act();
    } catch (cause) {
      throw decodeError(adapter, cause);
    }
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
