import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { AccessRejection } from "connect-rest-authorization";
import type { Rest } from "connect-rest-runtime";
import type { Caller } from "../call/caller.ts";
import { callerKey } from "../call/caller-key.ts";
import { connectWire } from "../fast-path/connect.ts";
import { readBody } from "../fast-path/read-body.ts";
import { failExchange } from "../listener/exchange.ts";
import { type HttpRequest, type HttpResponse, outgoing, sendResponse } from "../listener/http.ts";
import { UNCACHED } from "../listener/rejection.ts";
import { requestHeaders } from "../protocol/headers.ts";
import { reject } from "../protocol/reject.ts";
import type { CallOptions } from "../rpc/call-options.ts";
import type { Comments } from "./message-schema.ts";
import { type McpEndpoint, type McpOptions, mcpPathOf } from "./options.ts";
import { ToolCalls } from "./tool-calls.ts";
import { CALL, createToolServer, type Peer, type ToolServerParts } from "./tool-server.ts";
import { ToolSet } from "./tool-set.ts";

type Authorization = Parameters<McpEndpoint["serve"]>[3];

/** Request headers that never reach an upstream: they authenticate the client here. */
const OWN_CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

/** Creates the parts that tools need, for HTTP and for standard input and output. */
export function createToolParts(
  rest: Rest,
  comments: Comments,
  calls: CallOptions,
  options: McpOptions,
): ToolServerParts {
  const methods = rest.adapters.flatMap((adapter) =>
    Object.values(adapter.methods).map(({ method }): DescMethod => method),
  );
  return {
    tools: new ToolSet(methods, comments, options),
    calls: new ToolCalls(rest, calls, options),
    rest,
    options,
  };
}

/**
 * Creates the endpoint of the Streamable HTTP transport. It has no sessions: every request has its own
 * credentials, and any process of the gateway serves it.
 */
export function createMcpEndpoint(
  rest: Rest,
  comments: Comments,
  calls: CallOptions,
  options: McpOptions,
): McpEndpoint {
  const parts = createToolParts(rest, comments, calls, options);
  return new Endpoint(mcpPathOf(options) ?? "", parts, calls);
}

class Endpoint implements McpEndpoint {
  readonly path: string;
  private readonly parts: ToolServerParts;
  private readonly calls: CallOptions;
  private readonly handler;

  constructor(path: string, parts: ToolServerParts, calls: CallOptions) {
    this.path = path;
    this.parts = parts;
    this.calls = calls;
    this.handler = createMcpHandler(
      ({ authInfo }) => createToolServer(parts, authInfo?.extra?.peer as Peer),
      // no list of tools changes, so that there is nothing to subscribe to
      { maxSubscriptions: 0 },
    );
  }

  serve(request: HttpRequest, response: HttpResponse, caller: Caller, authorization: Authorization): void {
    this.respond(request, response, caller, authorization).catch((error: unknown) => {
      if (error instanceof ConnectError) {
        const status = STATUSES.get(error.code) ?? 400;
        reject(request, response, { status, code: codeToString(error.code), message: error.rawMessage });
        return;
      }
      this.calls.onError(error);
      failExchange(request, response, reject);
    });
  }

  private async respond(
    request: HttpRequest,
    response: HttpResponse,
    client: Caller,
    authorization: Authorization,
  ): Promise<void> {
    const found = await authorization?.authenticate(request);
    if (found !== undefined && "error" in found) return this.sendRejection(response, found);
    const caller = { ...client, subject: found };
    const abort = new AbortController();
    outgoing(response).once("close", () => abort.abort());
    const hold = this.calls.heldBytes.begin(callerKey(caller));
    try {
      const parsedBody = await this.body(request, hold, abort.signal);
      const missing = found && this.missingScope(parsedBody, found, authorization);
      if (missing !== undefined) return this.sendRejection(response, missing);
      const header = requestHeaders(request);
      for (const name of OWN_CREDENTIALS) header.delete(name);
      const web = new Request(`http://gateway${this.path}`, {
        method: request.method ?? "GET",
        headers: header,
        signal: abort.signal,
      });
      const peer: Peer = { caller, header, signal: abort.signal };
      const authInfo = { token: "", clientId: found?.clientId ?? "", scopes: [], extra: { peer } };
      await send(response, await this.handler.fetch(web, { authInfo, parsedBody }), abort.signal);
    } finally {
      hold.release();
    }
  }

  private async body(
    request: HttpRequest,
    hold: ReturnType<CallOptions["heldBytes"]["begin"]>,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (request.method !== "POST") return undefined;
    const { readMaxBytes, bodyIdleTimeoutMs } = this.calls.limits;
    const reader = connectWire.bodyReader(request, readMaxBytes);
    const { bytes, isCompressed } = await readBody(
      request,
      reader,
      { bytesIn: 0, hold },
      signal,
      bodyIdleTimeoutMs,
    );
    if (isCompressed) throw new ConnectError("requests for tools are not compressed", Code.Unimplemented);
    try {
      return JSON.parse(Buffer.from(bytes).toString());
    } catch {
      throw new ConnectError("the body of the request is not JSON", Code.InvalidArgument);
    }
  }

  /** Returns the rejection of a call of a tool whose scopes the token lacks, with its challenge. */
  private missingScope(
    body: unknown,
    subject: NonNullable<Caller["subject"]>,
    authorization: Authorization,
  ): AccessRejection | undefined {
    for (const message of Array.isArray(body) ? body : [body]) {
      const { method, params } = Object(message) as { readonly method?: unknown; readonly params?: unknown };
      if (method !== "tools/call") continue;
      const tool = this.parts.tools.find(calledName(Object(params)));
      const rejection = tool && authorization?.authorize(subject, tool.method);
      if (rejection !== undefined) return rejection;
    }
    return undefined;
  }

  private sendRejection(response: HttpResponse, { status, headers, error }: AccessRejection): void {
    const body = JSON.stringify({ error: codeToString(error.code), error_description: error.rawMessage });
    sendResponse(response, status, { ...headers, ...UNCACHED, "content-type": "application/json" }, body);
  }
}

/** The HTTP statuses of requests that cannot be read. */
const STATUSES: ReadonlyMap<Code, number> = new Map([
  [Code.ResourceExhausted, 413],
  [Code.DeadlineExceeded, 408],
  [Code.Unavailable, 503],
  [Code.Unimplemented, 415],
]);

/** Returns the name of the tool that a request calls, also through the tool that calls unlisted tools. */
function calledName({
  name,
  arguments: given,
}: {
  readonly name?: unknown;
  readonly arguments?: unknown;
}): string {
  const called = name === CALL ? (Object(given) as { readonly name?: unknown }).name : name;
  return typeof called === "string" ? called : "";
}

/** Sends a response of the SDK, as its parts arrive. */
async function send(
  response: HttpResponse,
  { status, headers, body }: Response,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, value] of headers) response.setHeader(name, value);
  for (const [name, value] of Object.entries(UNCACHED)) response.setHeader(name, value);
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    sendResponse(response, status, {}, new Uint8Array(await new Response(body).arrayBuffer()));
    return;
  }
  response.writeHead(status);
  const reader = body.getReader();
  signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done || signal.aborted) break;
    if (!response.write(value)) await drained(response, signal);
  }
  if (!signal.aborted) response.end();
}

function drained(response: HttpResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    outgoing(response).once("drain", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
