import type { DescMessage, DescMethod, DescService, MessageShape } from "@bufbuild/protobuf";
import type { Condition, CountUnit, JsonValue, MessageTable } from "connect-rest-codec/internal";
import { completeRules, DEFAULT_STREAM, type DeclaredRules } from "./default-rules.ts";
import type { HeadEntry, ResponseParts } from "./response-parts.ts";
import type { RestRequest } from "./rest-request.ts";
import type { EmptySpelling, MethodRules } from "./rules.ts";

/** A method of a generated adapter: how its request becomes a REST call, and the response protobuf bytes. */
export interface UnaryAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends ResponseParts {
  readonly kind: "unary";
  readonly method: DescMethod & { readonly methodKind: "unary"; readonly input: I; readonly output: O };
  readonly rules: MethodRules;
  /** Builds the REST call. Throws a ConnectError with INVALID_ARGUMENT when a value cannot be sent. */
  readonly request: (message: MessageShape<I>) => RestRequest;
}

/** What adapters of all kinds of streams have. */
interface StreamParts<I extends DescMessage, Kind extends DescMethod["methodKind"], O extends DescMessage> {
  readonly method: DescMethod & { readonly methodKind: Kind; readonly input: I; readonly output: O };
  readonly rules: MethodRules;
  /** Builds the first REST call. Throws a ConnectError with INVALID_ARGUMENT when a value cannot be sent. */
  readonly request: (message: MessageShape<I>) => RestRequest;
}

/** How the next page of a list is found. Paths are dotted; `""` is the root. */
export type NextPage<I extends DescMessage = DescMessage> =
  /**
   * A link in the payload: a string, or an object with `href`. `query` is the
   * path to parameters that go with it. With `always` every page has its key.
   */
  | { readonly kind: "link"; readonly path: string; readonly query?: string; readonly always?: boolean }
  /** A relation of the `Link` header (RFC 8288). */
  | { readonly kind: "link_header"; readonly rel: string }
  /** A request field that grows, by the number of items that came or by one page. */
  | {
      readonly kind: "step";
      readonly by: "items" | "page";
      readonly advance: (message: MessageShape<I>, by: number) => MessageShape<I>;
      /** Path to how many items or pages there are; and how many of them come before those of a request. */
      readonly total?: string;
      readonly before?: (message: MessageShape<I>) => number;
    }
  /**
   * A value of the payload, of the page's last item or of a header (`path` is its name),
   * which a request field takes.
   */
  | {
      readonly kind: "cursor";
      readonly from: "payload" | "last_item" | "header";
      /** Paths, of which the first that leads to a value counts, or the name of the header. */
      readonly paths: readonly string[];
      /** Every page has such a key or header. */
      readonly always?: boolean;
      /** The field is a number without presence: 0 in it is no cursor. */
      readonly zeroIsUnset?: boolean;
      /** Of the last item, where others may have its value. */
      readonly overlap?: OverlapRule<I>;
      readonly advance: (message: MessageShape<I>, value: JsonValue) => MessageShape<I>;
    };

/** How a list is paged by a value that its items share, a time or an integer. */
export interface OverlapRule<I extends DescMessage = DescMessage> {
  /** Path in an item to what tells it from others. */
  readonly key: string;
  /** What a time counts in the request; undefined for an integer. */
  readonly unit?: CountUnit;
  /**
   * What is added to the value of the last item to get the items that have it again,
   * and to step past them.
   */
  readonly again: number;
  readonly past: number;
  /** How many items a full page has; 0 where that is unknown. */
  readonly size?: (message: MessageShape<I>) => number;
}

/** A server stream of the items of a list that comes in pages. */
export interface PaginateAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "paginate";
  /** Paths from the payload to the array of items. The first that leads to an array counts. */
  readonly items: readonly string[];
  readonly next: NextPage<I>;
  /** There is a further page only while this holds of the payload; then also after a page without items. */
  readonly more?: Condition;
  /** How the upstream spells a page without items; undefined for `null`, `[]` and `{}`. */
  readonly empty?: readonly EmptySpelling[];
  /** Paths from the payload to keys that no rule reads, and that it has all the same. */
  readonly known?: readonly string[];
  /** Pages asked for at most. */
  readonly maxPages: number;
  /** Pages without items in a row at most. */
  readonly maxEmptyPages: number;
  /** What an item is. */
  readonly item: MessageTable;
}

/** The numbers of the fields of a message with a batch of items. */
export interface BatchFields {
  readonly items: number;
  /** A string. */
  readonly token: number;
  /** Booleans. */
  readonly late?: number;
  readonly gap?: number;
  /** A connectrest.v1.Heartbeat. */
  readonly heartbeat?: number;
}

/** What a request says about where a feed starts; what it does not say is undefined. */
export interface FeedStart {
  /** From everything that the feed lists. */
  readonly backlog?: boolean | undefined;
  /** Behind the item with this key. */
  readonly after?: string | undefined;
  /** Where a stream before has ended. */
  readonly token?: string | undefined;
  /** How often a message comes while there is nothing new, in milliseconds. Default: never. */
  readonly heartbeatMs?: number | undefined;
}

/** How a poll asks for further pages. */
export interface FeedPagesRule {
  /** A relation of the `Link` header (RFC 8288). Default: `parameter`. */
  readonly link?: string;
  /** The query parameter with the number of the page; the first one is 1. */
  readonly parameter?: string;
  /** How many items are on a full page; undefined where that is not known. */
  readonly size?: number;
  /** How many pages there are at most. */
  readonly max: number;
}

/** What a feed has whose messages are batches of items. */
export interface FeedParts<I extends DescMessage = DescMessage> {
  readonly batch: BatchFields;
  /** What the request says about the stream. */
  readonly start: (message: MessageShape<I>) => FeedStart;
  /** The names in the .proto file of the fields that `start` reads, for errors. */
  readonly startFields: { readonly [K in keyof FeedStart]?: string };
  /** The request with the fields in lower case whose case does not matter. */
  readonly fold?: (message: MessageShape<I>) => MessageShape<I>;
  /** Default: one page. */
  readonly pages?: FeedPagesRule;
}

/** A server stream of news from a feed, by conditional polling. */
export interface PollAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "poll";
  /** Path from the payload to the array of items, newest first. */
  readonly items: string;
  /** Path in an item to what tells it from others. */
  readonly key: string;
  /** The header that says how many seconds to wait, in lower case. */
  readonly intervalHeader?: string;
  /** The wait where no header says otherwise. */
  readonly intervalMs: number;
  /** Items that are there at the first poll are not streamed. */
  readonly skipBacklog: boolean;
  /** Paths from the payload to keys that it has beside its items. */
  readonly known?: readonly string[];
  /**
   * Messages are batches, and one poller serves all who watch. Default: a message is one item,
   * of a poller of its own.
   */
  readonly feed?: FeedParts<I>;
  /** What an item is. */
  readonly item: MessageTable;
}

/** A server stream of the records of one response. */
export interface RecordsAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "records";
  /** A JSON value on each line, server-sent events, or the items of one JSON array. */
  readonly format: "lines" | "events" | "array";
  /** The keys under which a record has the event's name, the last event ID, and the data. */
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  /** The data under its key is text, even if it looks like JSON. */
  readonly text?: boolean;
  /** The message has a field for the key `error`: a record with nothing else is no error. */
  readonly ownError?: boolean;
  /** Lines or data that end the stream. */
  readonly end: readonly string[];
  /** The record after which the stream ends. */
  readonly last?: Condition;
  /** How long the body may pause, in milliseconds; undefined for the upstream's own limit. */
  readonly idleMs?: number;
  /** What a record is. */
  readonly item: MessageTable;
}

/** A server stream of the states of accepted work; its rules have an `operation`. */
export interface OperationAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O>,
    ResponseParts {
  readonly kind: "operation";
}

/** A server stream of the chunks of a response's body. */
export interface DownloadAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "server_streaming", O> {
  readonly kind: "download";
  /** What the first message has beside its chunk: fields from headers and the status. */
  readonly head?: readonly HeadEntry[] | undefined;
  /** The number of the field with a chunk. */
  readonly chunk: number;
}

/** A client stream as a body or a part of one. `request` builds the call without the stream. */
export interface UploadAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage>
  extends StreamParts<I, "client_streaming", O>,
    ResponseParts {
  readonly kind: "upload";
  /** The chunk of a message; empty where it has none. */
  readonly chunk: (message: MessageShape<I>) => Uint8Array;
  /** What the first message says about the stream; `part` is undefined where the stream is the whole body. */
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
 * What a generated file of comments exports: texts by the full names of messages, fields, oneofs,
 * enums and values.
 */
export interface CommentsModule {
  readonly comments: ReadonlyMap<string, string>;
}

/** A generated adapter: a service and those of its methods that have a REST rule, by their local names. */
export interface ServiceAdapter<S extends DescService = DescService> extends AdapterExtensions {
  readonly service: S;
  readonly methods: Readonly<Record<string, AnyMethodAdapter>>;
  /** The comments of the .proto file, for people: of the service, and of each method by its local name. */
  readonly comments?: { readonly service: string; readonly methods: Readonly<Record<string, string>> };
  /**
   * Loads the comments of the messages and enums that the methods reach, with the generator's option
   * `comments`. They are in modules of their own, so that only programs that ask for them load them.
   */
  readonly loadComments?: () => Promise<readonly CommentsModule[]>;
}

/**
 * What generated code states of a method: all but what the functions below add,
 * and rules without their defaults.
 */
type Parts<A extends { readonly rules: MethodRules }, Defaulted extends keyof A = never> = Omit<
  A,
  "kind" | "method" | "rules" | Defaulted
> &
  Partial<Pick<A, Defaulted>> & { readonly rules: DeclaredRules };

/** Makes a unary method of an adapter; the types of its functions follow from the method. */
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

/** Makes a method of an adapter that responds with records. No line ends the stream by default. */
export function records<I extends DescMessage, O extends DescMessage>(
  method: RecordsAdapter<I, O>["method"],
  parts: Parts<RecordsAdapter<I, O>, "end">,
): RecordsAdapter<I, O> {
  const { end } = DEFAULT_STREAM;
  return { kind: "records", method, end, ...parts, rules: completeRules(parts.rules) };
}

/** Makes a method of an adapter that responds with the states of accepted work. */
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
