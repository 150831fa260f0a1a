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

/** What is generated from one .proto file. Models are frozen: nothing changes them after parsing. */
export interface FileModel {
  readonly desc: DescFile;
  readonly services: readonly ServiceModel[];
}

/** A service with those of its methods that have an HTTP rule. */
export interface ServiceModel {
  readonly desc: DescService;
  readonly annotation: ServiceAnnotation;
  readonly rules: SharedRules;
  readonly methods: readonly MethodModel[];
}

/** A method with an HTTP rule. */
export interface MethodModel {
  readonly desc: DescMethod;
  /** The options of the method as they are written, and those of its service. */
  readonly annotation: MethodAnnotation;
  readonly serviceAnnotation: ServiceAnnotation;
  readonly rules: Rules;
  /** The rule and its additional bindings, in order. */
  readonly bindings: readonly BindingModel[];
  /** The response field that the payload is; undefined means the whole message. */
  readonly responseBody: DescField | undefined;
  /** Whether the response message can hold the body of a response as it came. */
  readonly takesBytes: boolean;
  /** What its stream is; undefined for a unary method. */
  readonly stream: StreamModel | undefined;
  /** Of a stream: the messages that other methods make of the responses of which it is made. */
  readonly pages: readonly DescMessage[];
}

/** One HTTP binding of a method: where each field of the request goes. */
export interface BindingModel {
  /** HTTP method, in upper case. */
  readonly verb: string;
  readonly template: PathTemplate;
  /** For each variable of the template, the fields that lead to its value. */
  readonly variables: ReadonlyMap<string, FieldPath>;
  readonly query: readonly FieldPath[];
  readonly headers: readonly FieldPath[];
  readonly cookies: readonly FieldPath[];
  readonly oauth1Params: readonly FieldPath[];
  readonly body: BodyModel;
}

export type BodyModel =
  | { readonly kind: "none" }
  /** The listed fields of the request, as keys of a JSON object; `omitted` are left out below them. */
  | { readonly kind: "fields"; readonly fields: readonly DescField[]; readonly omitted: readonly FieldPath[] }
  /**
   * One field of the request is the whole body, as JSON; `omitted` are left out of it,
   * counted from that field.
   */
  | { readonly kind: "field"; readonly field: DescField; readonly omitted: readonly FieldPath[] }
  /** One repeated field is the whole body, each item a line of JSON. */
  | { readonly kind: "lines"; readonly field: DescField }
  /** A google.api.HttpBody: a field, or the request itself. */
  | { readonly kind: "http-body"; readonly field: DescField | undefined }
  | ({ readonly kind: "form" } & Parameters)
  /**
   * `multipart/form-data`: fields as one part of JSON or as parts of their own, then those placed in parts.
   */
  | ({
      readonly kind: "multipart";
      /** The name of the part with the fields as JSON; undefined where each is a part of its own. */
      readonly jsonPart: string | undefined;
      readonly fields: readonly DescField[];
      /** Fields placed in parts, of the request or of a flattened member of one of its oneofs. */
      readonly parts: readonly FieldPath[];
      /** Plain JSON where no part has a value. */
      readonly whenParts: boolean;
    } & Parameters);

/** Fields as parameters of a form: values, and oneofs whose discriminator is a parameter too. */
export interface Parameters {
  readonly paths: readonly FieldPath[];
  readonly choices: readonly Choice[];
}

/** A oneof with a discriminator, as parameters. */
export interface Choice {
  readonly oneof: DescOneof;
  /** For each member, the values below it; those of a message are counted from that message. */
  readonly members: ReadonlyArray<{ readonly field: DescField; readonly paths: readonly FieldPath[] }>;
}

/** Fields from the request message down to a value; all but the last are messages. */
export type FieldPath = readonly [DescField, ...DescField[]];

/** How a stream maps to REST calls. */
export type StreamModel =
  | {
      readonly kind: "paginate";
      /**
       * Paths from the payload to the items, the first that leads to an array counts;
       * empty for the payload itself.
       */
      readonly items: readonly string[];
      readonly next: NextModel;
      /** There is a further page only while this holds of the payload. */
      readonly more: ConditionModel | undefined;
      /** How the upstream spells a page without items; empty for the default. */
      readonly empty: readonly string[];
      /** Paths of further keys. */
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
      /** Paths of further keys. */
      readonly known: readonly string[];
      /** undefined where a message is one item. */
      readonly feed: FeedModel | undefined;
    }
  | {
      readonly kind: "records";
      readonly format: "lines" | "events" | "array";
      /** Keys; empty for none. */
      readonly event: string;
      readonly id: string;
      readonly data: string;
      /** Whether the data goes into a field of text. */
      readonly text: boolean;
      /** Whether a field takes the key `error`. */
      readonly ownError: boolean;
      readonly end: readonly string[];
      readonly last: ConditionModel | undefined;
      /** undefined for the upstream's own limit. */
      readonly idleMs: number | undefined;
    }
  /** The states of accepted work; the rule is among those of the method. */
  | { readonly kind: "operation" }
  | { readonly kind: "download"; readonly chunk: DescField }
  | {
      readonly kind: "upload";
      readonly chunk: DescField;
      readonly contentType: DescField | undefined;
      /** The part's name: a field, a constant, or undefined where the stream is the whole body. */
      readonly part: DescField | string | undefined;
      readonly filename: DescField | undefined;
    };

/** A feed whose messages are batches of items. */
export interface FeedModel {
  /** Fields of the response. */
  readonly batch: {
    readonly items: DescField;
    readonly token: DescField;
    readonly late: DescField | undefined;
    readonly gap: DescField | undefined;
    readonly heartbeat: DescField | undefined;
  };
  /** The message of one item. */
  readonly item: DescMessage;
  /** Fields of the request. */
  readonly start: {
    readonly backlog: DescField | undefined;
    readonly after: DescField | undefined;
    readonly token: DescField | undefined;
    readonly heartbeat: DescField | undefined;
  };
  /** Fields of the request whose case does not matter. */
  readonly fold: readonly DescField[];
  /** Texts are empty and the size 0 where they are not set. */
  readonly pages:
    | { readonly link: string; readonly parameter: string; readonly size: number; readonly max: number }
    | undefined;
}

/** How the next page of a list is found. */
export type NextModel =
  | {
      readonly kind: "link";
      readonly path: string;
      readonly query: string;
      /** Whether every page has its key. */
      readonly always: boolean;
    }
  | { readonly kind: "link_header"; readonly rel: string }
  | {
      readonly kind: "step";
      readonly by: "items" | "page";
      readonly field: FieldPath;
      /** The number of the first item or page. */
      readonly first: number;
      /** Path to how many there are; undefined for none. */
      readonly total: string | undefined;
    }
  | {
      readonly kind: "cursor";
      readonly from: "payload" | "last_item" | "header";
      /** Paths, of which the first that leads to a value counts, or the name of the header in lower case. */
      readonly paths: readonly string[];
      readonly field: FieldPath;
      /** Whether every page has its key or header. */
      readonly always: boolean;
      /** undefined where the value is unique. */
      readonly overlap: OverlapModel | undefined;
    };

/** How a list is paged by a value that its items share. */
export interface OverlapModel {
  /** Path in an item to what identifies it. */
  readonly key: string;
  /** What the field of a time counts; undefined for an integer. */
  readonly unit: CountUnit | undefined;
  /** What is added to the value of the last item to ask for its like again, and to step past them. */
  readonly again: number;
  readonly past: number;
  /** The number of items on a page: a field of the request, and its default; 0 where it is unknown. */
  readonly size: FieldPath | undefined;
  readonly defaultSize: number;
}
