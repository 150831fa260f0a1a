import { Code, ConnectError } from "@connectrpc/connect";
import { protocolOf } from "../call/protocol.ts";
import type { HttpRequest } from "../listener/http.ts";
import { show } from "../text/show.ts";

/**
 * The error of a Connect request that says it is of another version of the protocol than 1, the only one there is;
 * undefined for all others, also for those that do not say (https://connectrpc.com/docs/protocol,
 * Connect-Protocol-Version and Connect-Version-Query).
 */
export function versionError({ method, headers, url }: HttpRequest): ConnectError | undefined {
  if (protocolOf(headers["content-type"]) !== "connect") return undefined;
  const version = headers["connect-protocol-version"];
  if (version !== undefined && version !== "1") {
    return unknownVersion("the header connect-protocol-version", "1", String(version));
  }
  const query = method === "GET" ? url?.split("?", 2)[1] : undefined;
  const parameter = query === undefined ? null : new URLSearchParams(query).get("connect");
  if (parameter === null || parameter === "v1") return undefined;
  return unknownVersion("the parameter connect", "v1", parameter);
}

function unknownVersion(subject: string, expected: string, got: string): ConnectError {
  const text = `${subject} must be ${show(expected)}, the version of the protocol; it is ${show(got)}`;
  return new ConnectError(text, Code.InvalidArgument);
}
