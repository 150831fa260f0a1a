/** Calls one method of a generated adapter without an upstream. */
import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import type { UnaryAdapter } from "connect-rest-runtime/adapter";
import type { Difference } from "../../codec/src/decode/difference.ts";
import { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import { parseJson, parseJsonVerbatim } from "../../codec/src/json/parse-json.ts";
import { stringifyJson } from "../../codec/src/json/stringify-json.ts";
import { payloadOf } from "../../runtime/src/response/envelope.ts";
import { writeMessage } from "../../runtime/src/response/write-message.ts";

/** A request as sent, before credentials are added. */
export interface SentRequest {
  readonly verb: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** The JSON text; undefined without a body. */
  readonly body: string | undefined;
}

/** Returns the request that an adapter builds from a message. */
export function sent<I extends DescMessage, O extends DescMessage>(
  adapter: UnaryAdapter<I, O>,
  message: MessageShape<I>,
): SentRequest {
  const { verb, path, queryString, headers, body } = adapter.request(message);
  if (body !== undefined && body.kind !== "json") {
    throw new Error(`a body of kind ${body.kind}, expected json`);
  }
  const text = body === undefined ? undefined : stringifyJson(body.value);
  return { verb, path, query: queryString, headers: [...headers], body: text };
}

/** A response message, and its differences from the declaration. */
export interface Received<O extends DescMessage> {
  readonly message: MessageShape<O>;
  readonly differences: readonly Difference[];
  /** Whether the response had to be parsed exactly. */
  readonly isSecond: boolean;
}

/** A response with status 200 and a body. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body; empty for a response without a body. */
  readonly text: string;
}

/** Decodes a response with an adapter. As in the runtime, exact parsing is used only if necessary. */
export function received<I extends DescMessage, O extends DescMessage>(
  adapter: UnaryAdapter<I, O>,
  answer: string | Answer,
): Received<O> {
  const full: Answer = typeof answer === "string" ? { text: answer } : answer;
  const out = new ProtoWriter();
  read(adapter, full, out, false);
  const isSecond = out.inexact || (out.keptNumbers && parseJsonVerbatim(full.text) !== undefined);
  if (isSecond) read(adapter, full, out, true);
  return { message: fromBinary(adapter.method.output, out.finish()), differences: out.differences, isSecond };
}

function read<I extends DescMessage, O extends DescMessage>(
  adapter: UnaryAdapter<I, O>,
  { status = 200, headers = {}, text }: Answer,
  out: ProtoWriter,
  exact: boolean,
): void {
  out.reset(exact);
  const body = (exact ? parseJsonVerbatim(text) : undefined) ?? parseJson(text);
  const header = (name: string) => headers[name];
  const payload = payloadOf(body, adapter.rules.envelope);
  writeMessage(adapter, { status, header, payload, bytes: undefined }, out);
}
