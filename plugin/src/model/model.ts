import type {
  DescField,
  DescFile,
  DescMessage,
  DescMethod,
  DescOneof,
  DescService,
} from "@bufbuild/protobuf";
import type { MethodAnnotation, ServiceAnnotation } from "./annotations.ts";
import type { PathTemplate } from "./path-template.ts";
import type { ConditionModel, Rules, SharedRules } from "./rules.ts";
import type { CountUnit } from "./types.ts";

/** The model of a .proto file. Models are frozen: nothing changes them after parsing. */
export interface FileModel {
  readonly desc: DescFile;
  readonly services: readonly ServiceModel[];
}

/** A service with its methods that have an HTTP rule. */
export interface ServiceModel {
  readonly desc: DescService;
  readonly annotation: ServiceAnnotation;
  readonly rules: SharedRules;
  readonly methods: readonly MethodModel[];
}

/** A method with an HTTP rule. */
export interface MethodModel {
  readonly desc: DescMethod;
  /** The options of the method and of its service as written. */
  readonly annotation: MethodAnnotation;
  readonly serviceAnnotation: ServiceAnnotation;
  readonly rules: Rules;
  /** The rule and its additional bindings, in order. */
  readonly bindings: readonly BindingModel[];
  /** The response field that receives the payload; undefined means the whole message. */
  readonly responseBody: DescField | undefined;
  /** Whether the response message can hold the raw body of a response. */
  readonly takesBytes: boolean;
  /** The kind of stream; undefined for a unary method. */
  readonly stream: StreamModel | undefined;
  /** For a stream: the messages that unary methods of the service return for the same responses. */
  readonly pages: readonly DescMessage[];
}

/** An HTTP binding of a method, with the place of each request field. */
export interface BindingModel {
  /** The HTTP method, in upper case. */
  readonly verb: string;
  readonly template: PathTemplate;
  /** The fields that lead to the value of each variable in the template. */
  readonly variables: ReadonlyMap<string, FieldPath>;
  readonly query: readonly FieldPath[];
  readonly headers: readonly FieldPath[];
  readonly cookies: readonly FieldPath[];
  readonly oauth1Params: readonly FieldPath[];
  readonly body: BodyModel;
}

export type BodyModel =
  | { readonly kind: "none" }
  /** The listed fields of the request, as keys of a JSON object, without the `omitted` paths inside them. */
  | { readonly kind: "fields"; readonly fields: readonly DescField[]; readonly omitted: readonly FieldPath[] }
  /**
   * One field of the request is the whole body, as JSON, without the `omitted` paths, which begin at that
   * field.
   */
  | { readonly kind: "field"; readonly field: DescField; readonly omitted: readonly FieldPath[] }
  /** One repeated field is the whole body, with each item on a line of JSON. */
  | { readonly kind: "lines"; readonly field: DescField }
  /** A google.api.HttpBody: a field, or the request itself. */
  | { readonly kind: "http-body"; readonly field: DescField | undefined }
  | ({ readonly kind: "form" } & Parameters)
  /** `multipart/form-data`: fields in one JSON part or in separate parts, then the fields placed in parts. */
  | ({
      readonly kind: "multipart";
      /** The name of the part with the fields as JSON; undefined if each field is a separate part. */
      readonly jsonPart: string | undefined;
      readonly fields: readonly DescField[];
      /** The fields placed in parts: fields of the request, or of a flattened member of one of its oneofs. */
      readonly parts: readonly FieldPath[];
      /** Whether the body is plain JSON if no part has a value. */
      readonly whenParts: boolean;
    } & Parameters);

/** Fields as form parameters: values, and oneofs whose members share their keys. */
export interface Parameters {
  readonly paths: readonly FieldPath[];
  readonly choices: readonly Choice[];
}

/** A oneof with a discriminator or shared keys, as parameters. */
export interface Choice {
  readonly oneof: DescOneof;
  /** The values inside each member. The paths in a message member begin at that message. */
  readonly members: ReadonlyArray<{ readonly field: DescField; readonly paths: readonly FieldPath[] }>;
}

/** The fields from the request message down to a value. All except the last are messages. */
export type FieldPath = readonly [DescField, ...DescField[]];

/** The mapping of a stream to REST calls. */
export type StreamModel =
  | {
      readonly kind: "paginate";
      /**
       * The paths from the payload to the items; the first path that leads to an array counts. Empty if the
       * payload itself is the list.
       */
      readonly items: readonly string[];
      readonly next: NextModel;
      /** A condition on the payload. Another page follows only while the condition is true. */
      readonly more: ConditionModel | undefined;
      /** How the upstream writes a page without items; an empty list for the default. */
      readonly empty: readonly string[];
      /** The paths of further known keys. */
      readonly known: readonly string[];
      readonly maxPages: number;
      readonly maxEmptyPages: number;
    }
  | {
      readonly kind: "poll";
      readonly items: string;
      readonly key: string;
      readonly intervalHeader: string;
      readonly intervalMs: number;
      readonly skipBacklog: boolean;
      /** The paths of further known keys. */
      readonly known: readonly string[];
      /** The feed; undefined if each message is one item. */
      readonly feed: FeedModel | undefined;
    }
  | {
      readonly kind: "records";
      readonly format: "lines" | "events" | "array";
      /** The key under which the event name is added to a record; an empty string if it is not added. */
      readonly event: string;
      readonly id: string;
      readonly data: string;
      /** Whether the data goes into a string field. */
      readonly text: boolean;
      /** Whether a field reads the key `error`. */
      readonly ownError: boolean;
      readonly end: readonly string[];
      readonly last: ConditionModel | undefined;
      /** The idle limit; undefined for the idle limit of the upstream. */
      readonly idleMs: number | undefined;
    }
  /** The states of a long-running operation. The rules of the method contain the operation rule. */
  | { readonly kind: "operation" }
  | { readonly kind: "download"; readonly chunk: DescField }
  | {
      readonly kind: "upload";
      readonly chunk: DescField;
      readonly contentType: DescField | undefined;
      /** The name of the part: a field or a constant. Undefined if the stream is the whole body. */
      readonly part: DescField | string | undefined;
      readonly filename: DescField | undefined;
    };

/** A feed whose messages are batches of items. */
export interface FeedModel {
  /** The fields of the response that receive the batch. */
  readonly batch: {
    readonly items: DescField;
    readonly token: DescField;
    readonly late: DescField | undefined;
    readonly gap: DescField | undefined;
    readonly heartbeat: DescField | undefined;
  };
  /** The message of one item. */
  readonly item: DescMessage;
  /** The fields of the request that set the start of the stream. */
  readonly start: {
    readonly backlog: DescField | undefined;
    readonly after: DescField | undefined;
    readonly token: DescField | undefined;
    readonly heartbeat: DescField | undefined;
  };
  /** The fields of the request that are compared case-insensitively. */
  readonly fold: readonly DescField[];
  /**
   * The paging of the feed; undefined if it has no pages. An unset string is empty, and an unset size is 0.
   */
  readonly pages:
    | { readonly link: string; readonly parameter: string; readonly size: number; readonly max: number }
    | undefined;
}

/** The way to find the next page of a list. */
export type NextModel =
  | {
      readonly kind: "link";
      readonly path: string;
      readonly query: string;
      /** Whether every page has the key. */
      readonly always: boolean;
    }
  | { readonly kind: "link_header"; readonly rel: string }
  | {
      readonly kind: "step";
      readonly by: "items" | "page";
      readonly field: FieldPath;
      /** The number of the first item or page. */
      readonly first: number;
      /** The path to the total number; undefined if the response has no total. */
      readonly total: string | undefined;
    }
  | {
      readonly kind: "cursor";
      readonly from: "payload" | "last_item" | "header";
      /**
       * The paths to the value, which are tried in order until one leads to a value; or the lower-case name
       * of the header.
       */
      readonly paths: readonly string[];
      readonly field: FieldPath;
      /** Whether every page has the key or header. */
      readonly always: boolean;
      /** The rule for values that several items share; undefined if the value is unique. */
      readonly overlap: OverlapModel | undefined;
    };

/** The rule for paging by a value that several items may share. */
export interface OverlapModel {
  /** The path from an item to its identifier. */
  readonly key: string;
  /** The unit of a time field; undefined for an integer. */
  readonly unit: CountUnit | undefined;
  /**
   * The offset from the last item's value that requests items with the same value again; items already
   * delivered are dropped.
   */
  readonly again: number;
  /** The offset that requests only items beyond that value. */
  readonly past: number;
  /** The number of items on a page: a field of the request, and its default; 0 if unknown. */
  readonly size: FieldPath | undefined;
  readonly defaultSize: number;
}
