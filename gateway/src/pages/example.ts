import type { DescMethod, JsonValue } from "@bufbuild/protobuf";
import { methodPath } from "../call/method-path.ts";

/** Request messages to show, by method: `package.Service/Method` to ProtoJSON. */
export type Examples = Readonly<Record<string, JsonValue>>;

/**
 * A request message to show: the configured one, else one with the first field, when that is a plain text.
 */
export function exampleMessage(method: DescMethod, examples: Examples): string {
  const configured = examples[methodPath(method)];
  if (configured !== undefined) return JSON.stringify(configured);
  const [first] = method.input.fields;
  const isText = first?.fieldKind === "scalar" && first.proto.type === 9;
  return isText ? JSON.stringify({ [first.jsonName]: "..." }) : "{}";
}

/** A shell command that calls a method with the Connect protocol; undefined for streams of requests. */
export function curlCommand(method: DescMethod, url: string, examples: Examples): string | undefined {
  const address = `${url}/${methodPath(method)}`;
  const data = exampleMessage(method, examples);
  if (method.methodKind === "unary") {
    return `curl -d ${quote(data)} -H 'content-type: application/json' ${address}`;
  }
  return method.methodKind === "server_streaming" ? bufCurlCommand(method, url, examples) : undefined;
}

/** A shell command that calls a method with gRPC over HTTP/2, the schema taken by reflection. */
export function bufCurlCommand(method: DescMethod, url: string, examples: Examples): string {
  const data = exampleMessage(method, examples);
  const cleartext = url.startsWith("http:") ? " --http2-prior-knowledge" : "";
  return `npx buf curl --protocol grpc${cleartext} --data ${quote(data)} ${url}/${methodPath(method)}`;
}

/** Quotes a word for a POSIX shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
