import type { DescMethod } from "@bufbuild/protobuf";
import { methodPath } from "../call/method-path.ts";
import type { Examples } from "../console/options.ts";

/**
 * Returns the example message of a method: the configured message, or else a message with the first field if
 * that is a string.
 */
export function exampleMessage(method: DescMethod, examples: Examples): string {
  const configured = examples[methodPath(method)];
  if (configured !== undefined) return JSON.stringify(configured);
  const [first] = method.input.fields;
  const isText = first?.fieldKind === "scalar" && first.proto.type === 9;
  return isText ? JSON.stringify({ [first.jsonName]: "..." }) : "{}";
}

/**
 * Returns a shell command that calls a method with the Connect protocol; undefined for methods that stream
 * requests.
 */
export function curlCommand(method: DescMethod, url: string, examples: Examples): string | undefined {
  const address = `${url}/${methodPath(method)}`;
  const data = exampleMessage(method, examples);
  if (method.methodKind === "unary") {
    return `curl -d ${quote(data)} -H 'content-type: application/json' ${address}`;
  }
  return method.methodKind === "server_streaming" ? bufCurlCommand(method, url, examples) : undefined;
}

/** Returns a shell command that calls a method with gRPC over HTTP/2, using reflection for the schema. */
export function bufCurlCommand(method: DescMethod, url: string, examples: Examples): string {
  const data = exampleMessage(method, examples);
  const cleartext = url.startsWith("http:") ? " --http2-prior-knowledge" : "";
  return `npx buf curl --protocol grpc${cleartext} --data ${quote(data)} ${url}/${methodPath(method)}`;
}

/** Quotes a word for a POSIX shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
