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
import type { Drift } from "../decode/drift.ts";
import { JsonTooDeep, ProtoWriter } from "../decode/proto-writer.ts";
import { restError } from "../errors/rest-error.ts";
import type { JsonValue } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { fullName } from "../text/full-name.ts";
import { payloadOf } from "./envelope.ts";
import type { Page } from "./page.ts";
import type { ReadResponse } from "./read-response.ts";

/** A response message. */
export interface Decoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What was not as declared. */
  readonly drifts: readonly Drift[];
}

/** Adapters whose responses are a message as a whole. */
type WholeAdapter = UnaryAdapter | UploadAdapter | OperationAdapter;

/** Items of a page, each a response message. */
export interface DecodedItems {
  readonly items: ReadonlyArray<Uint8Array<ArrayBuffer>>;
  readonly drifts: readonly Drift[];
}

const NOT_UTF8: Drift = { path: "(root)", expected: "UTF-8", got: "other bytes", kind: "coerced" };

/** Turns responses into response messages. One decoder serves all calls of a process: its buffer is reused. */
export class Decoder {
  private readonly out = new ProtoWriter();

  /**
   * Writes the response message. The body was parsed the fast way, which rounds integers beyond 2^53; only where
   * the message needs one of those is it parsed exactly and decoded again.
   *
   * @throws ConnectError INTERNAL, reason UPSTREAM_BODY_TOO_DEEP or ADAPTER_FAILED
   */
  message(adapter: WholeAdapter, response: ReadResponse, rules: MethodRules = adapter.rules): Decoded {
    const { status, header, body } = response;
    const write = (value: JsonValue | undefined, exact: boolean) => {
      this.out.reset(exact, body.textual);
      const payload = payloadOf(value, rules.envelope, rules.payloadType);
      adapter.response({ status, header, payload, bytes: body.bytes }, this.out);
      if (payload === undefined) this.noteMissingPayload(adapter, rules, value, response);
    };
    this.guarded(adapter, () => {
      write(body.value, false);
      if (this.out.inexact) write(body.exactly(), true);
    });
    return { bytes: this.out.finish(), drifts: this.driftsOf(response) };
  }

  /**
   * A response without the envelope that the upstream always sends is read as empty, which for a caller looks like
   * success: at least it is said. The upstream's word for "empty", `null` or `""` under the payload's key, is none.
   */
  private noteMissingPayload(
    { method }: WholeAdapter,
    rules: MethodRules,
    value: JsonValue | undefined,
    { status, body }: ReadResponse,
  ): void {
    const [path] = rules.envelope?.payload ?? [];
    const expectsPayload = status >= 200 && status < 300 && status !== 204 && body.bytes === undefined;
    if (path === undefined || path === "" || !expectsPayload || method.output.fields.length === 0) return;
    if (rules.responseEncoding === "empty" || valueAt(value, path) === null) return;
    this.out.drop(path, "a payload", value);
  }

  /** Writes items of a page, in the order of `indices`. An item that is no object is left out. Throws as `message`. */
  items(
    adapter: PaginateAdapter | PollAdapter,
    page: Page,
    response: ReadResponse,
    indices: readonly number[],
  ): DecodedItems {
    const write = ({ path, list, items }: Page, exact: boolean) => {
      this.out.reset(exact, response.body.textual);
      if (list !== undefined && list !== null && !Array.isArray(list)) {
        this.out.coerce(path, "array", list);
      }
      return indices
        .map((index) => this.out.item(items[index], path, index, adapter.item))
        .filter((item) => item !== undefined);
    };
    const items = this.guarded(adapter, () => {
      const fast = write(page, false);
      return this.out.inexact ? write(page.exactly(), true) : fast;
    });
    return { items, drifts: this.driftsOf(response) };
  }

  /** Writes a record; without bytes where it is no object. Throws as `message`. */
  record(
    adapter: RecordsAdapter,
    value: JsonValue | undefined,
    exactly: () => JsonValue | undefined,
    index: number,
  ): Partial<Decoded> & Pick<Decoded, "drifts"> {
    const write = (json: JsonValue | undefined, exact: boolean) => {
      this.out.reset(exact);
      return this.out.item(json, "", index, adapter.item);
    };
    const bytes = this.guarded(adapter, () => {
      const fast = write(value, false);
      return this.out.inexact ? write(exactly(), true) : fast;
    });
    const { drifts } = this.out;
    return bytes === undefined ? { drifts } : { bytes, drifts };
  }

  /** Writes a message with a chunk; with the head of the response, if it is the first. Throws as `message`. */
  chunk(adapter: DownloadAdapter, head: RestResponse | undefined, chunk: Uint8Array | undefined): Decoded {
    this.out.reset();
    this.guarded(adapter, () => {
      if (head !== undefined) adapter.head(head, this.out);
      if (chunk !== undefined) adapter.chunk(chunk, this.out);
    });
    return { bytes: this.out.finish(), drifts: this.out.drifts };
  }

  private driftsOf({ body }: ReadResponse): readonly Drift[] {
    const { drifts } = this.out;
    return body.malformed ? [NOT_UTF8, ...drifts] : drifts;
  }

  private guarded<T>(adapter: AnyMethodAdapter, act: () => T): T {
    try {
      return act();
    } catch (cause) {
      throw decodeError(adapter, cause);
    }
  }
}

function decodeError({ method, rules: { upstream } }: AnyMethodAdapter, cause: unknown): ConnectError {
  if (cause instanceof ConnectError) return cause;
  if (cause instanceof JsonTooDeep || cause instanceof RangeError) {
    return restError("UPSTREAM_BODY_TOO_DEEP", { upstream, problem: cause.message }, { cause });
  }
  return restError(
    "ADAPTER_FAILED",
    { upstream, method: fullName(method), step: "reading the response" },
    { cause },
  );
}
