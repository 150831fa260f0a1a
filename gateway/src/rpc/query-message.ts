import { base64Decode } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import type { HttpRequest } from "../listener/http.ts";
import { show } from "../text/show.ts";

/**
 * The error of a Connect GET whose query has a message that is not base64 though it says so; undefined for all other
 * requests. The handler would throw there, which looks like a defect of ours.
 */
export function queryMessageError(request: HttpRequest): ConnectError | undefined {
  const query = request.method === "GET" ? request.url?.split("?", 2)[1] : undefined;
  if (query === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const message = parameters.get("message");
  if (message === null || parameters.get("base64") !== "1") return undefined;
  try {
    base64Decode(message);
    return undefined;
  } catch {
    const text = `base64=1 says that message is base64 (RFC 4648 section 4 or 5); it is ${show(message)}`;
    return new ConnectError(text, Code.InvalidArgument);
  }
}
