import type { MessageInitShape } from "@bufbuild/protobuf";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { reasonOf } from "connect-rest-runtime";
import type { ExplainedHeader, ExplainedRequest, Explanation } from "connect-rest-runtime/explain";
import { methodPath } from "../call/method-path.ts";
import {
  Decoder,
  type ExplainedRequestSchema,
  type ExplainResponseSchema,
} from "../gen/connectrest/explain/v1/explain_pb.ts";

type Response = MessageInitShape<typeof ExplainResponseSchema>;
type Request = MessageInitShape<typeof ExplainedRequestSchema>;

const DECODERS = { scanner: Decoder.WEBASSEMBLY, decoder: Decoder.JAVASCRIPT };

/** Returns the message for an explanation. */
export function explainResponse(explanation: Explanation): Response {
  const { method, upstream, isSent, requests, readBy, differences, error } = explanation;
  const isStream = method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming";
  return {
    method: methodPath(method),
    upstream,
    sent: isSent,
    requests: requests.map(requestOf),
    firstMessageOnly: isStream,
    decoder: readBy === undefined ? Decoder.UNSPECIFIED : DECODERS[readBy],
    differences: differences.map((each) => ({
      class: each.class,
      path: each.path,
      expected: each.expected,
      got: each.got,
    })),
    ...(error !== undefined && {
      error: { code: codeToString(error.code), reason: reasonOf(error) ?? "", message: error.rawMessage },
    }),
    text: explanation.toString(),
    curl: explanation.toCurl(),
  };
}

function requestOf({ verb, url, headers, body, credentials, isRetry, response }: ExplainedRequest): Request {
  return {
    verb,
    url,
    headers: headersOf(headers),
    credentials,
    retry: isRetry,
    ...(body !== undefined && {
      body: {
        ...(body.bytes !== undefined && { bytes: BigInt(body.bytes) }),
        ...(body.text !== undefined && { text: body.text.toWellFormed() }),
        incomplete: body.isCut,
      },
    }),
    ...(response !== undefined && {
      response: {
        status: response.status,
        headers: headersOf(response.headers),
        bytes: BigInt(response.bytes),
        headTime: durationOf(response.headMs),
        ...(response.durationMs !== undefined && { time: durationOf(response.durationMs) }),
      },
    }),
  };
}

function headersOf(headers: readonly ExplainedHeader[]) {
  return headers.map(({ name, value }) => ({ name, ...(value !== undefined && { value }) }));
}

/** Returns a duration, rounded to microseconds. */
function durationOf(ms: number) {
  const micros = Math.round(ms * 1000);
  return { seconds: BigInt(Math.floor(micros / 1e6)), nanos: (micros % 1e6) * 1000 };
}
