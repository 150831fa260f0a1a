import type { DescField, DescFile, DescMethod, DescService } from "@bufbuild/protobuf";
import type { PathTemplate } from "./path-template.ts";
import type { Rules, SharedRules } from "./rules.ts";

/** What is generated from one .proto file. Models are frozen: nothing changes them after parsing. */
export interface FileModel {
  readonly desc: DescFile;
  readonly services: readonly ServiceModel[];
}

/** A service with those of its methods that have an HTTP rule. */
export interface ServiceModel {
  readonly desc: DescService;
  readonly rules: SharedRules;
  readonly methods: readonly MethodModel[];
}

/** A method with an HTTP rule. */
export interface MethodModel {
  readonly desc: DescMethod;
  readonly rules: Rules;
  /** The rule and its additional bindings, in order. */
  readonly bindings: readonly BindingModel[];
  /** The response field that the payload is; undefined means the whole message. */
  readonly responseBody: DescField | undefined;
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
  readonly body: BodyModel;
}

export type BodyModel =
  | { readonly kind: "none" }
  /** The listed fields of the request, as keys of a JSON object. */
  | { readonly kind: "fields"; readonly fields: readonly DescField[] }
  /** One field of the request is the whole body. */
  | { readonly kind: "field"; readonly field: DescField };

/** Fields from the request message down to a value; all but the last are messages. */
export type FieldPath = readonly [DescField, ...DescField[]];
