import type { ConnectError } from "@connectrpc/connect";
import { mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { toNodeHeaders } from "../rpc/respond.ts";
import type { Answer } from "./answer.ts";
import { withBody } from "./connect-answer.ts";
import type { Head } from "./head.ts";

/** The answer with an error, which is JSON in both codecs (https://connectrpc.com/docs/protocol, Error). */
export function error(error: ConnectError, head: Head): Answer | Promise<Answer> {
  const headers = new Headers();
  mergeNonProtocolHeaders(headers, error.metadata);
  headers.set("content-type", "application/json");
  const body = errorToJsonBytes(error, undefined);
  return withBody(codeToHttpStatus(error.code), toNodeHeaders(headers), body, head.answerCompression);
}
