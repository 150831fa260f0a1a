import type { RestResponse } from "../adapter/rest-response.ts";
import type { ProtoWriter } from "../decode/proto-writer.ts";

/** Writes the fields of a google.api.HttpBody: the answer's body as it came, and its Content-Type. */
export function writeHttpBody(answer: RestResponse, out: ProtoWriter): void {
  out.string(1, answer.header("content-type"), "Content-Type");
  out.rawBytes(2, answer.bytes);
}
