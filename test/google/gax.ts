/** Google's own client library as the judge: what google-gax makes of a request. */
import { type DescMethod, fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import { type ParsedOptionsType, transcode } from "../../node_modules/google-gax/build/src/transcoding.js";
import type { HttpRule } from "../../plugin/src/gen/google/api/http_pb.ts";
import { httpRule } from "../../plugin/src/parse/options.ts";
import type { Made } from "./call-adapters.ts";

/**
 * The request that google-gax makes of an encoded message. The JSON that it distributes is that of
 * protobuf-es, which passes the conformance tests; its own serializer leaves
 * names in field masks as they are.
 */
export function gaxRequest(method: DescMethod, message: Uint8Array, registry: Registry): Made {
  const rule = httpRule(method);
  if (rule === undefined) throw new Error(`${method} has no HTTP rule`);
  const json = toJson(method.input, fromBinary(method.input, message), { registry });
  try {
    const made = transcode(json as Parameters<typeof transcode>[0], optionsOf(rule));
    if (made === undefined) return { error: "no binding" };
    const { httpMethod, url, queryString, data } = made;
    const request = { verb: httpMethod.toUpperCase(), path: url, query: queryString };
    return data === "" ? request : { ...request, body: JSON.stringify(data) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** A rule in the shape that protobuf.js parses it into. */
function optionsOf(rule: HttpRule): ParsedOptionsType {
  return [
    {
      "(google.api.http)": {
        ...bindingOf(rule),
        additional_bindings: rule.additionalBindings.map(bindingOf),
      },
    },
  ] as ParsedOptionsType;
}

function bindingOf({ pattern, body }: HttpRule): Record<string, unknown> {
  const verb = pattern.case === undefined ? {} : { [pattern.case]: pattern.value };
  return body === "" ? verb : { ...verb, body };
}
