/** Builds reference requests with google-gax, Google's client library. */
import { type DescMethod, fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import { type ParsedOptionsType, transcode } from "../../node_modules/google-gax/build/src/transcoding.js";
import type { HttpRule } from "../../plugin/src/gen/google/api/http_pb.ts";
import { httpRule } from "../../plugin/src/parse/options.ts";
import type { Made } from "./call-adapters.ts";

/**
 * Returns the request that google-gax builds from an encoded message. protobuf-es converts the message to
 * JSON, because google-gax's serializer does not convert names in field masks. protobuf-es passes the
 * conformance tests.
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

/** Returns an HTTP rule in the format into which protobuf.js parses it. */
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
