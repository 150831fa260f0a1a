/** Parses how an HTTP response body is read, and which field of the message receives it. */
import { type DescField, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { messageOf } from "../descriptors/well-known.ts";
import { ResponseBody_Encoding as Encoding } from "../gen/connectrest/v1/method_rules_pb.ts";
import { httpRule, methodRules } from "./options.ts";

const ENCODINGS: Readonly<Record<Encoding, string>> = {
  [Encoding.ENCODING_UNSPECIFIED]: "json",
  [Encoding.JSON]: "json",
  [Encoding.FORM]: "form",
  [Encoding.BYTES]: "bytes",
  [Encoding.EMPTY]: "empty",
  [Encoding.BY_CONTENT_TYPE]: "by_content_type",
};

/**
 * Returns the encoding of the response. The body of a google.api.HttpBody is raw bytes unless the method
 * specifies another encoding. Bytes that no field receives are not read.
 */
export function parseResponseEncoding(desc: DescMethod): string {
  const encoding = methodRules(desc).responseEncoding;
  if (encoding === Encoding.ENCODING_UNSPECIFIED && answersHttpBody(desc)) return "bytes";
  if (encoding === Encoding.BY_CONTENT_TYPE && !takesBytes(desc)) return "json_or_form";
  return ENCODINGS[encoding] ?? "json";
}

/** Reports whether a message can hold the raw body of a response. */
export function takesBytes(desc: DescMethod): boolean {
  const field = responseBodyOf(desc);
  const isBytes = field?.fieldKind === "scalar" && field.scalar === ScalarType.BYTES;
  return isBytes || answersHttpBody(desc) || methodRules(desc).download !== undefined;
}

/** Returns the response field that `response_body` names. */
export function responseBodyOf(desc: DescMethod): DescField | undefined {
  const name = httpRule(desc)?.responseBody ?? "";
  return desc.output.fields.find((candidate) => candidate.name === name);
}

function answersHttpBody(desc: DescMethod): boolean {
  const field = responseBodyOf(desc);
  const type = field === undefined ? desc.output : messageOf(field);
  return type?.typeName === "google.api.HttpBody" && field?.fieldKind !== "list";
}
