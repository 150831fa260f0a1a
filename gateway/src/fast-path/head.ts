import { base64Decode } from "@bufbuild/protobuf/wire";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Compression, UniversalHandler } from "@connectrpc/connect/protocol";
import { parseTimeout, timeoutHeader } from "../call/deadline.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { Protocol } from "../call/protocol.ts";
import { type HttpRequest, isHttp2 } from "../listener/http.ts";
import { splitTarget } from "../listener/target.ts";
import { negotiate } from "./negotiate.ts";
import type { Codec, Head } from "./wire.ts";

/**
 * The content types of the three protocols; JSON may have a charset parameter. Text-encoded gRPC-Web is not
 * supported.
 */
const CONTENT_TYPE =
  /^application\/(?:(connect\+|grpc\+|grpc-web\+)?(?:(json)(?:; ?charset=utf-?8)?|proto)|grpc|grpc-web)$/i;

/** The headers that name the compression of the request, and the compressions accepted for the response. */
const ENCODINGS = {
  connect: { used: "content-encoding", accepted: "accept-encoding" },
  connectStream: { used: "connect-content-encoding", accepted: "connect-accept-encoding" },
  grpc: { used: "grpc-encoding", accepted: "grpc-accept-encoding" },
} as const;

/**
 * The status of a request that no protocol accepts because of its HTTP method, content type or HTTP version.
 */
export type UnsupportedStatus = 405 | 415 | 505;

/**
 * Reads the head of a request. Returns the head, which may contain an error, or a status if the request is
 * not a call.
 */
export function readHead(
  request: HttpRequest,
  protocol: Protocol,
  handler: Pick<UniversalHandler, "allowedMethods" | "method">,
  compressions: readonly Compression[],
): Head | UnsupportedStatus {
  const { methodKind } = handler.method;
  if (methodKind === "bidi_streaming" && !isHttp2(request)) return 505;
  if (!handler.allowedMethods.includes(request.method ?? "")) return 405;
  const isStream = methodKind !== "unary";
  if (request.method === "GET") return queryHead(request, protocol, isStream, compressions);
  const codec = codecOf(request.headers["content-type"], protocol, isStream);
  return codec === undefined ? 415 : bodyHead(request, protocol, isStream, codec, compressions);
}

function codecOf(contentType: string | undefined, protocol: Protocol, isStream: boolean): Codec | undefined {
  const match = CONTENT_TYPE.exec(contentType ?? "");
  if (match === null) return undefined;
  const [, prefix, json] = match;
  if (protocol === "connect" && (prefix !== undefined) !== isStream) return undefined;
  return json === undefined ? "proto" : "json";
}

function bodyHead(
  request: HttpRequest,
  protocol: Protocol,
  isStream: boolean,
  codec: Codec,
  compressions: readonly Compression[],
): Head {
  const { headers } = request;
  const ofConnect = isStream ? ENCODINGS.connectStream : ENCODINGS.connect;
  const { used, accepted } = protocol === "connect" ? ofConnect : ENCODINGS.grpc;
  const chosen = negotiate(compressions, textOf(headers[used]), textOf(headers[accepted]));
  const { requestCompression, responseCompression, problem = timeoutProblem(request, protocol) } = chosen;
  return { codec, requestCompression, responseCompression, problem };
}

/**
 * Reads a Connect Unary-Get-Request, whose data is all in the query. (A URL parser would drop a fragment, but
 * no client sends one.)
 */
function queryHead(
  request: HttpRequest,
  protocol: Protocol,
  isStream: boolean,
  compressions: readonly Compression[],
): Head | UnsupportedStatus {
  const { headers, url } = request;
  const type = headers["content-type"] ?? "";
  const hasOtherType = protocol !== "connect" || codecOf(type, protocol, isStream) === undefined;
  if (type === "" ? isStream : hasOtherType) return 415;
  if (isStream) return 405;
  const parameters = new URLSearchParams(splitTarget(url).query?.split("#", 1)[0]);
  const codec = parameters.get("encoding");
  if (codec !== "proto" && codec !== "json") return 415;
  const used = parameters.get("compression") ?? undefined;
  const chosen = negotiate(compressions, used, textOf(headers["accept-encoding"]));
  const problem = chosen.problem ?? timeoutProblem(request, protocol);
  return { codec, ...chosen, problem, message: messageOf(parameters) };
}

/** Decodes the message in a query. Malformed base64 is rejected earlier. */
function messageOf(parameters: URLSearchParams): Uint8Array {
  const text = parameters.get("message") ?? "";
  return parameters.get("base64") === "1" ? base64Decode(text) : new TextEncoder().encode(text);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

function timeoutProblem({ headers }: HttpRequest, protocol: Protocol): ConnectError | undefined {
  const given = textOf(headers[timeoutHeader(protocol)]);
  if (given === undefined || parseTimeout(protocol, given) !== undefined) return undefined;
  const kind = protocol === "connect" ? "connect" : "grpc";
  const text = `protocol error: invalid ${kind} timeout value: ${given}`;
  return gatewayError("REQUEST_MALFORMED", text, Code.InvalidArgument);
}
