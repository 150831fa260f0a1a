import type { ProtoWriter } from "connect-rest-codec/internal";
import type { RestResponse } from "../adapter/rest-response.ts";

/** Writes the fields of a google.api.HttpBody: the raw response body and its Content-Type. */
export function writeHttpBody(response: RestResponse, out: ProtoWriter): void {
  out.string(1, response.header("content-type"), "Content-Type");
  out.rawBytes(2, response.bytes);
}
