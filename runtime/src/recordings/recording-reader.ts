import type { DescMessage } from "@bufbuild/protobuf";
import { fromBinary } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { Difference, JsonValue, ProtoWriter } from "connect-rest-codec/internal";
import { isJsonObject, parseJson, parseJsonVerbatim, valueAt } from "connect-rest-codec/internal";
import type {
  AnyMethodAdapter,
  OperationAdapter,
  PaginateAdapter,
  PollAdapter,
  RecordsAdapter,
  UnaryAdapter,
  UploadAdapter,
} from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { mayHaveRedacted, messagesWithin, redactedValues } from "../errors/redacted-fields.ts";
import type { ResponseHeaders } from "../http/exchange.ts";
import { Decoder, type RecordBody } from "../response/decode.ts";
import { payloadOf } from "../response/envelope.ts";
import { Page } from "../response/page.ts";
import { noteUnknownKeys } from "../response/page-keys.ts";
import { noteKeys, notePlaces } from "../response/page-places.ts";
import { errorOf, type ReadResponse, readResponse } from "../response/read-response.ts";
import { shapeError } from "../response/shape-error.ts";
import { ArraySplitter } from "../stream/array-splitter.ts";
import { linesOf } from "../stream/lines.ts";
import { recordJson } from "../stream/records.ts";
import { eventsOf } from "../stream/server-events.ts";
import type { Secret } from "../text/secret.ts";
import { Pacer } from "../time/pacer.ts";
import { isSuccess, type UpstreamResponse } from "../upstream/upstream.ts";

/** A recorded response. The body is decompressed; names of headers are in lower case. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
}

/** The result of reading a recorded response as a method. */
export interface ReadRecording {
  readonly differences: readonly Difference[];
  /** The error that a caller gets. Undefined for a response that is decoded. */
  readonly error?: ConnectError;
  /** The parsed body. Undefined for a body that is not JSON, and for a stream of records. */
  readonly body?: JsonValue | undefined;
  /** The value that the paths of differences start from. A stream of records is a list. */
  readonly payload?: JsonValue | undefined;
  /** The keys of the objects in `body` whose values no field declares. */
  readonly undeclared: ReadonlyMap<object, ReadonlySet<string | number>>;
  /** The values of fields that are marked as redacted. */
  readonly redacted?: readonly Secret[];
}

type WholeAdapter = UnaryAdapter | UploadAdapter | OperationAdapter;
type ListAdapter = PaginateAdapter | PollAdapter;

/** The number of differences of each class that are kept for a response. */
export const MAX_KEPT = 10_000;
const ACCEPTED = 202;
/** Begins each record of a JSON text sequence (RFC 7464). */
const RECORD_SEPARATOR = "\u001e";
const NOTHING: ReadRecording = { differences: [], undeclared: new Map() };

/** Reads recorded responses as calls of their methods read them, without sending requests. */
export class RecordingReader {
  private undeclared = new Map<object, Set<string | number>>();
  private readonly decoder = new Decoder(MAX_KEPT, (holder, key) => {
    const keys = this.undeclared.get(holder) ?? new Set();
    this.undeclared.set(holder, keys.add(key));
  });

  /**
   * @param verb the verb of the request
   * @param now milliseconds since 1970
   */
  async read(
    adapter: AnyMethodAdapter,
    { status, headers, body }: RecordedResponse,
    verb: string,
    now: number,
  ): Promise<ReadRecording> {
    const response: UpstreamResponse = {
      status,
      headers,
      body,
      truncated: false,
      configuredCredentials: false,
      secrets: [],
    };
    this.undeclared = new Map();
    try {
      return await this.decoded(adapter, response, verb, now);
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      return { ...NOTHING, error, body: jsonOf(body) };
    }
  }

  private async decoded(
    adapter: AnyMethodAdapter,
    response: UpstreamResponse,
    verb: string,
    now: number,
  ): Promise<ReadRecording> {
    const { rules } = adapter;
    if (adapter.kind === "records" || adapter.kind === "download") {
      if (!isSuccess(response.status, rules)) throw errorOf(response, rules, now);
      return adapter.kind === "records" ? await this.records(adapter, response) : NOTHING;
    }
    // a 304 and the acceptance of an operation contain no message
    if (response.status === 304 && !rules.success.includes(304)) return NOTHING;
    if (rules.operation !== undefined && response.status === ACCEPTED) return NOTHING;
    const read = readResponse(response, rules, now, Number.POSITIVE_INFINITY);
    return adapter.kind === "paginate" || adapter.kind === "poll"
      ? this.list(adapter, read)
      : this.whole(adapter, read, verb);
  }

  private whole(adapter: WholeAdapter, read: ReadResponse, verb: string): ReadRecording {
    const rules = resultRules(adapter.rules, read.body.value);
    const isWrite = verb !== "GET" && verb !== "HEAD";
    const { bytes, differences } = this.decoder.message(adapter, read, rules, isWrite);
    const { value } = read.body;
    const payload = payloadOf(value, rules.envelope, rules.payloadType);
    const redacted = redactedIn(adapter.method.output, [bytes]);
    return { differences: differences.list, body: value, payload, undeclared: this.undeclared, redacted };
  }

  private list(adapter: ListAdapter, read: ReadResponse): ReadRecording {
    const { item, rules } = adapter;
    const empty = adapter.kind === "paginate" ? adapter.empty : undefined;
    const paths = [adapter.items].flat();
    const page = new Page(read.body, { envelope: rules.envelope, paths, empty, item });
    if (page.misshapen !== undefined && read.status !== 204) throw shapeError(adapter, page.misshapen);
    const indices = [...page.items.keys()];
    const around = this.noted((out) => {
      notePlaces(adapter, page, out);
      noteUnknownKeys(adapter, page, read.status, out);
      noteKeys(adapter, page, indices, out);
    });
    const { items, differences } = this.decoder.items(adapter, page, read, indices);
    return {
      differences: [...around, ...differences.list],
      body: page.body,
      payload: page.payload,
      undeclared: this.undeclared,
      redacted: redactedIn(itemOf(adapter), items),
    };
  }

  private noted(note: (out: ProtoWriter) => void): readonly Difference[] {
    return this.decoder.noted(note).list;
  }

  private async records(adapter: RecordsAdapter, { body }: UpstreamResponse): Promise<ReadRecording> {
    const differences: Difference[] = [];
    const payload: JsonValue[] = [];
    const items: Uint8Array[] = [];
    for await (const record of recordsIn(adapter, body)) {
      const { bytes, differences: found } = this.decoder.record(adapter, record, payload.length);
      payload.push(record.value ?? null);
      differences.push(...found.list);
      if (bytes !== undefined) items.push(bytes);
    }
    return {
      differences,
      payload,
      undeclared: this.undeclared,
      redacted: redactedIn(itemOf(adapter), items),
    };
  }
}

/** Returns the values of redacted fields in encoded messages of a type. */
function redactedIn(desc: DescMessage, messages: readonly Uint8Array[]): Secret[] {
  return mayHaveRedacted(desc)
    ? messages.flatMap((each) => redactedValues(desc, fromBinary(desc, each)))
    : [];
}

/** Returns the type of the items, which is the type of the response messages or of messages within them. */
function itemOf({ item, method }: ListAdapter | RecordsAdapter): DescMessage {
  return [...messagesWithin(method.output)].find(({ typeName }) => typeName === item.name) ?? method.output;
}

/** Returns the rules for the result of an operation, if the body contains its result. */
function resultRules(rules: MethodRules, body: JsonValue | undefined): MethodRules {
  const result = rules.operation?.result;
  if (result === undefined) return rules;
  const outer = rules.envelope?.payload ?? [""];
  const payload = outer.map((path) => (path === "" ? result : `${path}.${result}`));
  if (payload.every((path) => valueAt(body, path) === undefined)) return rules;
  return { ...rules, envelope: { ...rules.envelope, payload } };
}

/** Yields the records of a whole body. A record that does not parse ends the stream. */
async function* recordsIn(adapter: RecordsAdapter, body: Uint8Array): AsyncGenerator<RecordBody, undefined> {
  for await (const text of textsIn(adapter, body)) {
    const { data, malformed } = text;
    if (adapter.end.includes(data.trim())) return undefined;
    const value = recordJson(adapter, text, parseJson);
    const verbatim = () => recordJson(adapter, text, (each) => parseJsonVerbatim(each) ?? parseJson(each));
    yield { value, verbatim, malformed };
    if (isJsonObject(value) && Object.keys(value).length === 1 && "error" in value && !adapter.ownError) {
      return undefined;
    }
  }
  return undefined;
}

async function* textsIn({ format }: RecordsAdapter, body: Uint8Array) {
  const chunks = single(body);
  const pacer = new Pacer();
  if (format === "events") {
    yield* eventsOf(linesOf(chunks, "any", body.length, pacer), Number.POSITIVE_INFINITY);
  } else if (format === "array") {
    for (const { text, malformed } of new ArraySplitter(body.length).items(body)) {
      yield { data: text, malformed, ended: true };
    }
  } else {
    for await (const lines of linesOf(chunks, "lf", body.length, pacer)) {
      for (const { text, malformed, ended } of lines) {
        const data = text.startsWith(RECORD_SEPARATOR) ? text.slice(1) : text;
        if (data.trim() !== "" && !/^\s*(?::|#|\/\/)/.test(data)) yield { data, malformed, ended };
      }
    }
  }
}

async function* single(body: Uint8Array) {
  yield body;
}

function jsonOf(body: Uint8Array): JsonValue | undefined {
  try {
    return parseJson(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
