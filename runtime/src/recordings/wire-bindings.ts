import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { method as methodOption } from "../gen/connectrest/v1/annotations_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";

/** An HTTP request that a method sends: a verb and a path of google.api.http, and constant parameters. */
export interface WireBinding {
  /** In upper case. */
  readonly verb: string;
  /** The path in the notation of google.api.http. */
  readonly template: string;
  /** The field that is the body, `*` for all fields that the path does not bind, or `""`. */
  readonly body: string;
  readonly constants: readonly ConstantParameter[];
}

export interface ConstantParameter {
  readonly name: string;
  readonly value: string;
}

/** Returns the bindings that the annotations of a method declare. */
export function bindingsOf(desc: DescMethod): readonly WireBinding[] {
  if (!hasOption(desc, http)) return [];
  const rule = getOption(desc, http);
  const { parameters } = getOption(desc, methodOption);
  const constants = parameters.map(({ name, value, json }) => ({ name, value: json === "" ? value : json }));
  return [rule, ...rule.additionalBindings].flatMap((each) => bindingOf(each, constants));
}

function bindingOf({ pattern, body }: HttpRule, constants: readonly ConstantParameter[]): WireBinding[] {
  if (pattern.case === undefined) return [];
  const [verb, template] =
    pattern.case === "custom"
      ? [pattern.value.kind, pattern.value.path]
      : [pattern.case.toUpperCase(), pattern.value];
  return [{ verb, template, body, constants }];
}
