import type { DescMessage, DescMethod, DescService, MessageShape } from "@bufbuild/protobuf";
import type { Condition, CountUnit, JsonValue, MessageTable } from "connect-rest-codec/internal";
import { completeRules, DEFAULT_STREAM, type DeclaredRules } from "./default-rules.ts";
import type { HeadEntry, ResponseParts } from "./response-parts.ts";
import type { RestRequest } from "./rest-request.ts";
import type { EmptySpelling, MethodRules } from "./rules.ts";

/**
 * A unary method of a generated adapter: turns its request into a REST call, and the response into protobuf
 * bytes.
 */
export interface UnaryAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends ResponseParts {
  readonly kind: "unary";
  readonly method: DescMethod & { readonly methodKind: "unary"; readonly input: I; readonly output: O };
  readonly rules: MethodRules;
  /** Builds the REST call. Throws a ConnectError with INVALID_ARGUMENT when a value cannot be sent. */
  readonly request: (message: MessageShape<I>) => RestRequest;
}

/** The properties that adapters of all streaming methods share. */
interface StreamParts<I extends DescMessage, Kind extends DescMethod["methodKind"], O extends DescMessage> {
  readonly method: DescMethod & { readonly methodKind: Kind; readonly input: I; readonly output: O };
  readonly rules: MethodRules;
  /** Builds the first REST call. Throws a ConnectError with INVALID_ARGUMENT when a value cannot be sent. */
  readonly request: (message: MessageShape<I>) => RestRequest;
}

/** The rule that finds the next page of a list. Paths are dotted; `""` is the root. */
export type NextPage<I extends DescMessage = DescMessage> =
  /**
   * A link in the payload: a string, or an object with `href`. `query` is the path to additional parameters
   * of the link. With `always` every page has this key.
   */
  | { readonly kind: "link"; readonly path: string; readonly query?: string; readonly always?: boolean }
  /** A relation of the `Link` header (RFC 8288). */
  | { readonly kind: "link_header"; readonly rel: string }
  /** A request field that grows, by the number of received items or by one page. */
  | {
      readonly kind: "step";
      readonly by: "items" | "page";
      readonly advance: (message: MessageShape<I>, by: number) => MessageShape<I>;
      /** Path to the total number of items or pages; and the number of them before a request. */
      readonly total?: string;
      readonly before?: (message: MessageShape<I>) => number;
    }
  /**
   * A value of the payload, of the page's last item or of a header (`path` is its name), which is sent in a
   * request field.
   */
  | {
      readonly kind: "cursor";
      readonly from: "payload" | "last_item" | "header";
      /** Paths, of which the first that has a value is used, or the name of the header. */
      readonly paths: readonly string[];
      /** Every page has this key or header. */
      readonly always?: boolean;
      /** The field is a number without presence: 0 means that there is no cursor. */
      readonly zeroIsUnset?: boolean;
      /** For a value of the last item that other items may share. */
      readonly overlap?: OverlapRule<I>;
      readonly advance: (message: MessageShape<I>, value: JsonValue) => MessageShape<I>;
    };

/** Paging by a value that items may share: a time or an integer. */
export interface OverlapRule<I extends DescMessage = DescMessage> {
  /** Path in an item to its unique key. */
  readonly key: string;
  /** The unit of a time in the request; undefined for an integer. */
  readonly unit?: CountUnit;
  /**
   * The offsets from the last item's value that request the items with the same value again, and that skip
   * these items.
   */
  readonly again: number;
  readonly past: number;
  /** The number of items on a full page; 0 if unknown. */
  readonly size?: (message: MessageShape<I>) => number;
}

/** A server stream of the items of a paginated list. */
export interface PaginateAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "paginate";
  /** Paths from the payload to the array of items. The first path that leads to an array is used. */
  readonly items: readonly string[];
  readonly next: NextPage<I>;
  /**
   * A further page exists only while the payload meets this condition; then also after a page without items.
   */
  readonly more?: Condition;
  /** The upstream's spellings of a page without items; undefined for `null`, `[]` and `{}`. */
  readonly empty?: readonly EmptySpelling[];
  /** Paths from the payload to expected keys that no rule reads. */
  readonly known?: readonly string[];
  /** The maximum number of pages. */
  readonly maxPages: number;
  /** The maximum number of consecutive pages without items. */
  readonly maxEmptyPages: number;
  /** The message type of an item. */
  readonly item: MessageTable;
}

/** The field numbers of a message with a batch of items. */
export interface BatchFields {
  readonly items: number;
  /** A string field. */
  readonly token: number;
  /** Boolean fields. */
  readonly late?: number;
  readonly gap?: number;
  /** A connectrest.v1.Heartbeat field. */
  readonly heartbeat?: number;
}

/** The start position of a feed in a request. Unset positions are undefined. */
export interface FeedStart {
  /** Start with all items that the feed lists. */
  readonly backlog?: boolean | undefined;
  /** Start after the item with this key. */
  readonly after?: string | undefined;
  /** Start where an earlier stream ended. */
  readonly token?: string | undefined;
  /** The interval of heartbeats while there are no new items, in milliseconds. Default: no heartbeats. */
  readonly heartbeatMs?: number | undefined;
}

/** The rule for further pages of a poll. */
export interface FeedPagesRule {
  /** A relation of the `Link` header (RFC 8288). Default: `parameter`. */
  readonly link?: string;
  /** The query parameter with the page number; the first page is 1. */
  readonly parameter?: string;
  /** The number of items on a full page; undefined if unknown. */
  readonly size?: number;
  /** The maximum number of pages. */
  readonly max: number;
}

/** The additional properties of a feed whose messages are batches of items. */
export interface FeedParts<I extends DescMessage = DescMessage> {
  readonly batch: BatchFields;
  /** Returns the start position in a request. */
  readonly start: (message: MessageShape<I>) => FeedStart;
  /** The names in the .proto file of the fields that `start` reads, for error messages. */
  readonly startFields: { readonly [K in keyof FeedStart]?: string };
  /** Returns the request with its case-insensitive fields in lower case. */
  readonly fold?: (message: MessageShape<I>) => MessageShape<I>;
  /** Default: one page. */
  readonly pages?: FeedPagesRule;
}

/** A server stream of new items of a feed, read by conditional polling. */
export interface PollAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "poll";
  /** Path from the payload to the array of items, newest first. */
  readonly items: string;
  /** Path in an item to its unique key. */
  readonly key: string;
  /** The header with the number of seconds to wait, in lower case. */
  readonly intervalHeader?: string;
  /** The wait if no header sets another. */
  readonly intervalMs: number;
  /** Items of the first poll are not streamed. */
  readonly skipBacklog: boolean;
  /** Paths from the payload to expected keys other than its items. */
  readonly known?: readonly string[];
  /**
   * Messages are batches, and all watchers share one poller. Default: each message is one item, and each
   * stream has its own poller.
   */
  readonly feed?: FeedParts<I>;
  /** The message type of an item. */
  readonly item: MessageTable;
}

/** A server stream of the records of one response. */
export interface RecordsAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "records";
  /** A JSON value on each line, server-sent events, or the items of one JSON array. */
  readonly format: "lines" | "events" | "array";
  /** The record keys for the event's name, the last event ID, and the data. */
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  /** The data stays text, even if it looks like JSON. */
  readonly text?: boolean;
  /** The message has a field for the key `error`: a record with only that key is not an error. */
  readonly ownError?: boolean;
  /** Lines or data that end the stream. */
  readonly end: readonly string[];
  /** The condition that the last record of the stream meets. */
  readonly last?: Condition;
  /** The longest pause within the body, in milliseconds; undefined for the upstream's own limit. */
  readonly idleMs?: number;
  /** The message type of a record. */
  readonly item: MessageTable;
}

/** A server stream of the states of a long-running operation; its rules have an `operation`. */
export interface OperationAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O>,
    ResponseParts {
  readonly kind: "operation";
}

/** A server stream of the chunks of a response's body. */
export interface DownloadAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "download";
  /** The fields of the first message other than its chunk, from headers and the status. */
  readonly head?: readonly HeadEntry[] | undefined;
  /** The number of the field that holds a chunk. */
  readonly chunk: number;
}

/** A client stream as a request body or a part of one. `request` builds the call without the stream. */
export interface UploadAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "client_streaming", O>,
    ResponseParts {
  readonly kind: "upload";
  /** Returns the chunk of a message; empty without one. */
  readonly chunk: (message: MessageShape<I>) => Uint8Array;
  /**
   * Returns the description of the stream in the first message; `part` is undefined if the stream is the
   * whole body.
   */
  readonly stream: (message: MessageShape<I>) => {
    readonly contentType: string;
    readonly part?: string;
    readonly filename?: string;
  };
}

/** A method of a generated adapter. */
export type MethodAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> =
  | UnaryAdapter<I, O>
  | PaginateAdapter<I, O>
  | PollAdapter<I, O>
  | RecordsAdapter<I, O>
  | OperationAdapter<I, O>
  | DownloadAdapter<I, O>
  | UploadAdapter<I, O>;

// biome-ignore lint/suspicious/noExplicitAny: a table of methods of all types; each is used with its own descriptor
export type AnyMethodAdapter = MethodAdapter<any, any>;

/**
 * Properties that other generators insert into adapters, declared by `declare module
 * "connect-rest-runtime/adapter"`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: generators add to it
export interface AdapterExtensions {}

/**
 * The exports of a generated file of comments: texts by the full names of messages, fields, oneofs, enums and
 * values.
 */
export interface CommentsModule {
  readonly comments: ReadonlyMap<string, string>;
}

/** A generated adapter: a service and its methods that have a REST rule, by their local names. */
export interface ServiceAdapter<S extends DescService = DescService> extends AdapterExtensions {
  readonly service: S;
  readonly methods: Readonly<Record<string, AnyMethodAdapter>>;
  /**
   * The .proto comments for human readers: the comment of the service, and of each method by its local name.
   */
  readonly comments?: { readonly service: string; readonly methods: Readonly<Record<string, string>> };
  /**
   * Loads the comments of the messages and enums that the methods use, if the code was generated with the
   * option `comments`. The comments are separate modules, so that only programs that need them load them.
   */
  readonly loadComments?: () => Promise<readonly CommentsModule[]>;
}

/**
 * The properties that generated code states for a method: all except those that the functions below add.
 * Rules omit their defaults.
 */
type Parts<A extends { readonly rules: MethodRules }, Defaulted extends keyof A = never> = Omit<
  A,
  "kind" | "method" | "rules" | Defaulted
> &
  Partial<Pick<A, Defaulted>> & { readonly rules: DeclaredRules };

/** Makes a unary method of an adapter; the types of its functions follow from the method's descriptor. */
export function unary<I extends DescMessage, O extends DescMessage>(
  method: UnaryAdapter<I, O>["method"],
  parts: Parts<UnaryAdapter<I, O>>,
): UnaryAdapter<I, O> {
  return { kind: "unary", method, ...parts, rules: completeRules(parts.rules) };
}

/** Makes a paginated method of an adapter. `maxPages` is 1000 by default, `maxEmptyPages` 10. */
export function paginate<I extends DescMessage, O extends DescMessage>(
  method: PaginateAdapter<I, O>["method"],
  parts: Parts<PaginateAdapter<I, O>, "maxPages" | "maxEmptyPages">,
): PaginateAdapter<I, O> {
  const { maxPages, maxEmptyPages } = DEFAULT_STREAM;
  return { kind: "paginate", method, maxPages, maxEmptyPages, ...parts, rules: completeRules(parts.rules) };
}

/** Makes a polling method of an adapter. `skipBacklog` is false by default. */
export function poll<I extends DescMessage, O extends DescMessage>(
  method: PollAdapter<I, O>["method"],
  parts: Parts<PollAdapter<I, O>, "skipBacklog">,
): PollAdapter<I, O> {
  const { skipBacklog } = DEFAULT_STREAM;
  return { kind: "poll", method, skipBacklog, ...parts, rules: completeRules(parts.rules) };
}

/** Makes a method of an adapter that responds with records. By default no line ends the stream. */
export function records<I extends DescMessage, O extends DescMessage>(
  method: RecordsAdapter<I, O>["method"],
  parts: Parts<RecordsAdapter<I, O>, "end">,
): RecordsAdapter<I, O> {
  const { end } = DEFAULT_STREAM;
  return { kind: "records", method, end, ...parts, rules: completeRules(parts.rules) };
}

/** Makes a method of an adapter that responds with the states of a long-running operation. */
export function operation<I extends DescMessage, O extends DescMessage>(
  method: OperationAdapter<I, O>["method"],
  parts: Parts<OperationAdapter<I, O>>,
): OperationAdapter<I, O> {
  return { kind: "operation", method, ...parts, rules: completeRules(parts.rules) };
}

/** Makes a downloading method of an adapter. */
export function download<I extends DescMessage, O extends DescMessage>(
  method: DownloadAdapter<I, O>["method"],
  parts: Parts<DownloadAdapter<I, O>>,
): DownloadAdapter<I, O> {
  return { kind: "download", method, ...parts, rules: completeRules(parts.rules) };
}

/** Makes an uploading method of an adapter. */
export function upload<I extends DescMessage, O extends DescMessage>(
  method: UploadAdapter<I, O>["method"],
  parts: Parts<UploadAdapter<I, O>>,
): UploadAdapter<I, O> {
  return { kind: "upload", method, ...parts, rules: completeRules(parts.rules) };
}
