import { Code, type ConnectError } from "@connectrpc/connect";
import { gatewayError } from "../call/gateway-error.ts";
import { protocolOf } from "../call/protocol.ts";
import type { HttpRequest } from "../listener/http.ts";
import { splitTarget } from "../listener/target.ts";
import { isBase64 } from "../protocol/base64.ts";
import { show } from "../text/show.ts";

/**
 * Returns an error if the head of a Connect request is malformed in a way that connect's handler would not
 * report; else undefined.
 */
export function checkConnectRequest(request: HttpRequest): ConnectError | undefined {
  return versionError(request) ?? queryMessageError(request);
}

/**
 * Returns an error if a Connect request names a protocol version other than 1. A missing version is accepted
 * (https://connectrpc.com/docs/protocol, Connect-Protocol-Version and Connect-Version-Query).
 */
function versionError({ method, headers, url }: HttpRequest): ConnectError | undefined {
  if (protocolOf(headers["content-type"]) !== "connect") return undefined;
  const version = headers["connect-protocol-version"];
  if (version !== undefined && version !== "1") {
    return unknownVersion("the header connect-protocol-version", "1", String(version));
  }
  const query = method === "GET" ? splitTarget(url).query : undefined;
  const parameter = query === undefined ? null : new URLSearchParams(query).get("connect");
  if (parameter === null || parameter === "v1") return undefined;
  return unknownVersion("the parameter connect", "v1", parameter);
}

function unknownVersion(subject: string, expected: string, got: string): ConnectError {
  const text = `${subject} must be ${show(expected)}, the version of the protocol; it is ${show(got)}`;
  return gatewayError("PROTOCOL_UNSUPPORTED", text, Code.InvalidArgument);
}

/**
 * Returns an error if the message in the query of a Connect GET is not valid base64 despite `base64=1`, or is
 * not percent-encoded UTF-8. Decoding such a message would yield different bytes than the client encoded.
 */
function queryMessageError(request: HttpRequest): ConnectError | undefined {
  const query = request.method === "GET" ? splitTarget(request.url).query : undefined;
  if (query === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const message = parameters.get("message");
  if (message === null) return undefined;
  if (parameters.get("base64") === "1") {
    if (isBase64(message)) return undefined;
    const text = `base64=1 says that message is base64 (RFC 4648 section 4 or 5); it is ${show(message)}`;
    return gatewayError("REQUEST_MALFORMED", text, Code.InvalidArgument);
  }
  if (!message.includes("\uFFFD") || /%EF%BF%BD/i.test(query)) return undefined;
  const text = "message is not UTF-8 in the query; send it as base64, with base64=1";
  return gatewayError("REQUEST_MALFORMED", text, Code.InvalidArgument);
}
