import type { DescMessage, DescMethod, DescService, MessageShape } from "@bufbuild/protobuf";
import type { Condition, CountUnit, JsonValue, MessageTable } from "connect-rest-codec/internal";
import { completeRules, DEFAULT_STREAM, type DeclaredRules } from "./default-rules.ts";
import type { HeadEntry, ResponseParts } from "./response-parts.ts";
import type { RestRequest } from "./rest-request.ts";
import type { EmptySpelling, MethodRules } from "./rules.ts";

/**
 * A unary method of a generated adapter. Converts a request message to a REST call, and the REST response to
 * protobuf bytes.
 */
export interface UnaryAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends ResponseParts {
  readonly kind: "unary";
  readonly method: DescMethod & { readonly methodKind: "unary"; readonly input: I; readonly output: O };
  readonly rules: MethodRules;
  /** Builds the REST call. Throws a ConnectError with INVALID_ARGUMENT when a value cannot be sent. */
  readonly request: (message: MessageShape<I>) => RestRequest;
}

/** The properties that the adapters of all streaming methods share. */
interface StreamParts<I extends DescMessage, Kind extends DescMethod["methodKind"], O extends DescMessage> {
  readonly method: DescMethod & { readonly methodKind: Kind; readonly input: I; readonly output: O };
  readonly rules: MethodRules;
  /** Builds the first REST call. Throws a ConnectError with INVALID_ARGUMENT when a value cannot be sent. */
  readonly request: (message: MessageShape<I>) => RestRequest;
}

/** The rule that finds the next page of a list. Paths are dotted; `""` is the root. */
export type NextPage<I extends DescMessage = DescMessage> =
  /**
   * The payload contains a link: a string, or an object with `href`. `query` is the path to additional query
   * parameters of the link. With `always`, every page must contain the key of the link.
   */
  | { readonly kind: "link"; readonly path: string; readonly query?: string; readonly always?: boolean }
  /** The `Link` header contains a link with this relation (RFC 8288). */
  | { readonly kind: "link_header"; readonly rel: string }
  /** A request field is incremented by the number of received items or by one page. */
  | {
      readonly kind: "step";
      readonly by: "items" | "page";
      readonly advance: (message: MessageShape<I>, by: number) => MessageShape<I>;
      /**
       * The path to the total number of items or pages. `before` returns the number of items or pages that
       * precede a request.
       */
      readonly total?: string;
      readonly before?: (message: MessageShape<I>) => number;
    }
  /**
   * A request field receives a value from the payload, from the last item of the page, or from the header
   * that `paths` names.
   */
  | {
      readonly kind: "cursor";
      readonly from: "payload" | "last_item" | "header";
      /** The alternative paths, of which the first with a value is used, or the name of the header. */
      readonly paths: readonly string[];
      /** Whether every page must have this key or header. */
      readonly always?: boolean;
      /** Whether 0 means that there is no cursor, because the request field is a number without presence. */
      readonly zeroIsUnset?: boolean;
      /** Whether the request field is a string, into which a number is converted. */
      readonly isText?: boolean;
      /** Set if several items may have the same value as the last item. */
      readonly overlap?: OverlapRule<I>;
      readonly advance: (message: MessageShape<I>, value: JsonValue) => MessageShape<I>;
    };

/** The rule for paging by a time or an integer that several items may share. */
export interface OverlapRule<I extends DescMessage = DescMessage> {
  /** The path in an item to its unique key. */
  readonly key: string;
  /** The unit of a time in the request. Undefined for an integer. */
  readonly unit?: CountUnit;
  /**
   * The offset from the last item's value that requests items with the same value again; items already
   * delivered are dropped.
   */
  readonly again: number;
  /** The offset that requests only items beyond that value. */
  readonly past: number;
  /** Returns the number of items on a full page, or 0 if it is unknown. */
  readonly size?: (message: MessageShape<I>) => number;
}

/** A server stream of the items of a paginated list. */
export interface PaginateAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "paginate";
  /** The paths from the payload to the array of items. The first path that leads to an array is used. */
  readonly items: readonly string[];
  readonly next: NextPage<I>;
  /**
   * The condition that the payload meets if a next page exists. If it is set, a page without items does not
   * end the list.
   */
  readonly more?: Condition;
  /**
   * The ways in which the upstream represents a page without items. Undefined for the default: `null`, `[]`
   * and `{}`.
   */
  readonly empty?: readonly EmptySpelling[];
  /** The paths from the payload to keys that are expected although no rule reads them. */
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
  /** The number of a string field. */
  readonly token: number;
  /** Boolean fields. */
  readonly late?: number;
  readonly gap?: number;
  /** The number of a connectrest.v1.Heartbeat field. */
  readonly heartbeat?: number;
}

/** The start position of a feed, from a request. Positions that the request does not set are undefined. */
export interface FeedStart {
  /** Whether to start with all items that the feed lists. */
  readonly backlog?: boolean | undefined;
  /** The key of the item after which to start. */
  readonly after?: string | undefined;
  /** The resume token of the position at which an earlier stream ended. */
  readonly token?: string | undefined;
  /**
   * The interval of heartbeats while there are no new items, in milliseconds. Default: no heartbeats are
   * sent.
   */
  readonly heartbeatMs?: number | undefined;
}

/** How a poll requests further pages. */
export interface FeedPagesRule {
  /** A relation of the `Link` header (RFC 8288). Default: `parameter`. */
  readonly link?: string;
  /** The query parameter with the page number; the first page is 1. */
  readonly parameter?: string;
  /** The number of items on a full page. Undefined if unknown. */
  readonly size?: number;
  /** The maximum number of pages. */
  readonly max: number;
}

/** The additional properties of a feed whose messages are batches of items. */
export interface FeedParts<I extends DescMessage = DescMessage> {
  readonly batch: BatchFields;
  /** Returns the start position that a request sets. */
  readonly start: (message: MessageShape<I>) => FeedStart;
  /** The names, in the .proto file, of the fields that `start` reads. Error messages contain them. */
  readonly startFields: { readonly [K in keyof FeedStart]?: string };
  /** Returns the request with its case-insensitive fields in lower case. */
  readonly fold?: (message: MessageShape<I>) => MessageShape<I>;
  /** How a poll requests further pages. By default, a poll requests one page. */
  readonly pages?: FeedPagesRule;
}

/** A server stream of new items of a feed, read by conditional polling. */
export interface PollAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "poll";
  /** The path from the payload to the array of items, newest first. */
  readonly items: string;
  /** The path in an item to its unique key. */
  readonly key: string;
  /** The name, in lower case, of the header with the number of seconds to wait. */
  readonly intervalHeader?: string;
  /** The interval between polls in milliseconds, used unless the interval header states another one. */
  readonly intervalMs: number;
  /** Whether the items of the first poll are skipped. */
  readonly skipBacklog: boolean;
  /** The paths from the payload to expected keys other than `items`. */
  readonly known?: readonly string[];
  /**
   * Set if messages are batches and all watchers share one poller. Default: each message is one item, and
   * each stream has its own poller.
   */
  readonly feed?: FeedParts<I>;
  /** The message type of an item. */
  readonly item: MessageTable;
}

/** A server stream of the records in one response. */
export interface RecordsAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "records";
  /** The format of the body: one JSON value per line, server-sent events, or one JSON array. */
  readonly format: "lines" | "events" | "array";
  /** The record keys that receive the name of the event, its ID, and its data. */
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  /** Whether the data is kept as a string even if it looks like JSON. */
  readonly text?: boolean;
  /**
   * Whether the message has a field for the key `error`. Otherwise, a record whose only key is `error` is an
   * error.
   */
  readonly ownError?: boolean;
  /** The lines or event data that end the stream. */
  readonly end: readonly string[];
  /** The condition that the last record of the stream meets. */
  readonly last?: Condition;
  /** The longest pause while the body is received, in milliseconds. Default: the limit of the upstream. */
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

/** A server stream of the chunks of a response body. */
export interface DownloadAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "download";
  /** The fields of the first message, which are read from the headers and the status. */
  readonly head?: readonly HeadEntry[] | undefined;
  /** The number of the field that holds a chunk. */
  readonly chunk: number;
}

/**
 * A client stream that becomes a request body, or a part of a multipart body. `request` builds the call
 * without the stream.
 */
export interface UploadAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "client_streaming", O>,
    ResponseParts {
  readonly kind: "upload";
  /** Returns the chunk of a message, or an empty array. */
  readonly chunk: (message: MessageShape<I>) => Uint8Array;
  /**
   * Returns the description of the stream in the first message. `part` is undefined if the stream is the
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
 * The properties that other generators add to methods with `declare module "connect-rest-runtime/adapter"`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: generators add to it
export interface AdapterExtensions {}

/**
 * The exports of a generated comments module: the comments by the full names of messages, fields, oneofs,
 * enums and values.
 */
export interface CommentsModule {
  readonly comments: ReadonlyMap<string, string>;
}

/** A generated adapter: a service, and all of its methods that have a REST rule, by their local names. */
export interface ServiceAdapter<S extends DescService = DescService> extends AdapterExtensions {
  readonly service: S;
  readonly methods: Readonly<Record<string, AnyMethodAdapter>>;
  /** The .proto comments of the service, and of its methods by their local names. */
  readonly comments?: { readonly service: string; readonly methods: Readonly<Record<string, string>> };
  /**
   * Loads the comments of the messages and enums that the methods use. Set if the code was generated with the
   * option `comments`. The comments are in separate modules, which other programs do not load.
   */
  readonly loadComments?: () => Promise<readonly CommentsModule[]>;
}

/**
 * The properties of a method that generated code states. The functions below add the other properties, and
 * fill in default rules.
 */
type Parts<A extends { readonly rules: MethodRules }, Defaulted extends keyof A = never> = Omit<
  A,
  "kind" | "method" | "rules" | Defaulted
> &
  Partial<Pick<A, Defaulted>> & { readonly rules: DeclaredRules };

/**
 * Creates a unary method of an adapter. The descriptor of the method determines the types of its functions.
 */
export function unary<I extends DescMessage, O extends DescMessage>(
  method: UnaryAdapter<I, O>["method"],
  parts: Parts<UnaryAdapter<I, O>>,
): UnaryAdapter<I, O> {
  return { kind: "unary", method, ...parts, rules: completeRules(parts.rules, method.input) };
}

/** Creates a paginated method of an adapter. By default `maxPages` is 1000, and `maxEmptyPages` is 10. */
export function paginate<I extends DescMessage, O extends DescMessage>(
  method: PaginateAdapter<I, O>["method"],
  parts: Parts<PaginateAdapter<I, O>, "maxPages" | "maxEmptyPages">,
): PaginateAdapter<I, O> {
  const { maxPages, maxEmptyPages } = DEFAULT_STREAM;
  return {
    kind: "paginate",
    method,
    maxPages,
    maxEmptyPages,
    ...parts,
    rules: completeRules(parts.rules, method.input),
  };
}

/** Creates a polling method of an adapter. By default `skipBacklog` is false. */
export function poll<I extends DescMessage, O extends DescMessage>(
  method: PollAdapter<I, O>["method"],
  parts: Parts<PollAdapter<I, O>, "skipBacklog">,
): PollAdapter<I, O> {
  const { skipBacklog } = DEFAULT_STREAM;
  return { kind: "poll", method, skipBacklog, ...parts, rules: completeRules(parts.rules, method.input) };
}

/** Creates a method of an adapter that responds with records. By default no line ends the stream. */
export function records<I extends DescMessage, O extends DescMessage>(
  method: RecordsAdapter<I, O>["method"],
  parts: Parts<RecordsAdapter<I, O>, "end">,
): RecordsAdapter<I, O> {
  const { end } = DEFAULT_STREAM;
  return { kind: "records", method, end, ...parts, rules: completeRules(parts.rules, method.input) };
}

/** Creates a method of an adapter that responds with the states of a long-running operation. */
export function operation<I extends DescMessage, O extends DescMessage>(
  method: OperationAdapter<I, O>["method"],
  parts: Parts<OperationAdapter<I, O>>,
): OperationAdapter<I, O> {
  return { kind: "operation", method, ...parts, rules: completeRules(parts.rules, method.input) };
}

/** Creates a downloading method of an adapter. */
export function download<I extends DescMessage, O extends DescMessage>(
  method: DownloadAdapter<I, O>["method"],
  parts: Parts<DownloadAdapter<I, O>>,
): DownloadAdapter<I, O> {
  return { kind: "download", method, ...parts, rules: completeRules(parts.rules, method.input) };
}

/** Creates an uploading method of an adapter. */
export function upload<I extends DescMessage, O extends DescMessage>(
  method: UploadAdapter<I, O>["method"],
  parts: Parts<UploadAdapter<I, O>>,
): UploadAdapter<I, O> {
  return { kind: "upload", method, ...parts, rules: completeRules(parts.rules, method.input) };
}
