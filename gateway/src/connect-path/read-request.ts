import type { Registry } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { createContextKey } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import type { Call } from "../call/call.ts";
import type { Limits } from "../limits.ts";
import type { HttpRequest } from "../listener/http.ts";
import { splitTarget } from "../listener/target.ts";
import type { Decompress } from "../protocol/decompress.ts";
import { type MessageOptions, readEnvelopes, readMessage, readWhole } from "./request-messages.ts";

/** The options for reading the messages of a request. */
export interface ReadOptions {
  readonly call: Call;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly types: Registry;
  readonly compressions: readonly Compression[];
  readonly decompress: Decompress;
}

/** The context key for the check of a message in a query. The check runs before connect reads the message. */
export const gateKey = createContextKey<() => Promise<unknown>>(() => Promise.resolve(), {
  description: "the gateway's check of a message in a query",
});

/**
 * Returns the headers and the body of a request for connect. Messages are decompressed here, with callers
 * taking turns, and messages that cost too much to decode are rejected.
 *
 * @param pieces the body from `wholeMessages`
 * @param headers the request headers, which are adjusted to the decompressed body
 */
export function readRequest(
  pieces: AsyncIterable<Uint8Array>,
  isEnveloped: boolean,
  headers: Headers,
  options: ReadOptions,
): AsyncIterable<Uint8Array> {
  const name = headers.get(encodingHeader(options.call, isEnveloped));
  const isJson = /json/i.test(headers.get("content-type") ?? "");
  const messages = messageOptions(name, isJson, options);
  if (isEnveloped) return readEnvelopes(pieces, messages);
  if (messages.compression !== undefined) {
    // by default, the response uses the compression of the request
    if (!headers.get("accept-encoding")) headers.set("accept-encoding", messages.compression.name);
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  return readWhole(pieces, messages);
}

/** Checks the message in the query of a Connect GET request. Malformed base64 is rejected earlier. */
export async function checkQuery({ url }: HttpRequest, options: ReadOptions): Promise<void> {
  const parameters = new URLSearchParams(splitTarget(url).query);
  const isJson = parameters.get("encoding") === "json";
  const messages = messageOptions(parameters.get("compression"), isJson, options);
  const text = parameters.get("message") ?? "";
  const bytes = parameters.get("base64") === "1" ? base64Decode(text) : new TextEncoder().encode(text);
  await readMessage(bytes, true, messages);
}

function messageOptions(name: string | null, isJson: boolean, options: ReadOptions): MessageOptions {
  const { call, signal, limits, types, compressions, decompress } = options;
  return {
    call,
    signal,
    isJson,
    compression: compressions.find((each) => each.name === name),
    decompress,
    maxBytes: limits.readMaxBytes,
    cost: { limit: limits.messageCost, depth: limits.messageDepth, types },
  };
}

function encodingHeader({ protocol }: Call, isEnveloped: boolean): string {
  if (protocol !== "connect") return "grpc-encoding";
  return isEnveloped ? "connect-content-encoding" : "content-encoding";
}
