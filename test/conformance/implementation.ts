import { create, type DescMessage, type DescService, type Message } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { callKey } from "../../gateway/src/call/call.ts";
import type { ErrorDefinition, Header, StreamDefinition, StreamRequest, UnaryRequest } from "./messages.ts";
import type { Schema } from "./schema.ts";

/** The parts of connect's HandlerContext that a method of the suite uses. */
export type Exchange = Pick<
  HandlerContext,
  "requestHeader" | "responseHeader" | "responseTrailer" | "requestMethod" | "url" | "values"
>;

/** The unary methods that the fast path can call too. */
export const UNARY_METHODS = ["Unary", "IdempotentUnary"] as const;
type OneResponse = (typeof UNARY_METHODS)[number] | "ClientStream";

/** Milliseconds in each unit of `grpc-timeout`. */
const GRPC_TIMEOUT_UNITS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** Implements the server behavior that the suite's `service.proto` describes. */
export class Implementation {
  private readonly schema: Schema;

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** Returns handlers for connect's router. The suite expects the method Unimplemented to have no handler. */
  handlers(): Partial<ServiceImpl<DescService>> {
    return {
      unary: (request: Message, exchange: Exchange) => this.oneResponse("Unary", [request], exchange),
      idempotentUnary: (request: Message, exchange: Exchange) =>
        this.oneResponse("IdempotentUnary", [request], exchange),
      clientStream: async (requests: AsyncIterable<Message>, exchange: Exchange) =>
        this.oneResponse("ClientStream", await all(requests), exchange),
      serverStream: (request: Message, exchange: Exchange) => this.serverStream(request, exchange),
      bidiStream: (requests: AsyncIterable<Message>, exchange: Exchange) =>
        this.bidiStream(requests, exchange),
    } as unknown as Partial<ServiceImpl<DescService>>;
  }

  /** Responds as the first request specifies. */
  async oneResponse(kind: OneResponse, requests: readonly Message[], exchange: Exchange): Promise<Message> {
    const definition = (requests[0] as UnaryRequest | undefined)?.responseDefinition;
    const info = this.requestInfo(kind, requests, exchange);
    setHeaders(exchange, definition);
    await delay(definition?.responseDelayMs);
    const response = definition?.response;
    if (response?.case === "error") throw this.error(response.value, info);
    const data = response?.case === "responseData" ? response.value : new Uint8Array(0);
    return this.payload(`${kind}Response`, data, info);
  }

  /** Responds with a stream as the request specifies. */
  async *serverStream(request: Message, exchange: Exchange): AsyncIterable<Message> {
    const definition = (request as StreamRequest).responseDefinition;
    if (definition === undefined) return;
    setHeaders(exchange, definition);
    const info = this.requestInfo("ServerStream", [request], exchange);
    yield* this.responses("ServerStreamResponse", definition, info);
  }

  private async *bidiStream(requests: AsyncIterable<Message>, exchange: Exchange): AsyncIterable<Message> {
    let first: StreamRequest | undefined;
    let pending: Message[] = [];
    let sent = 0;
    for await (const request of requests) {
      if (first === undefined) {
        first = request as StreamRequest;
        setHeaders(exchange, first.responseDefinition);
      }
      pending.push(request);
      const definition = first.responseDefinition;
      if (first.fullDuplex !== true) continue;
      const data = definition?.responseData[sent];
      if (definition === undefined || data === undefined) break;
      await delay(definition.responseDelayMs);
      yield this.payload("BidiStreamResponse", data, this.bidiInfo(pending, sent, exchange));
      pending = [];
      sent += 1;
    }
    const definition = first?.responseDefinition;
    if (definition === undefined) return;
    const rest = { ...definition, responseData: definition.responseData.slice(sent) };
    const info = sent > 0 ? undefined : this.bidiInfo(pending, sent, exchange);
    yield* this.responses("BidiStreamResponse", rest, info);
  }

  /**
   * Yields the responses of a stream, and then throws the error that the definition contains, if any. Only
   * the first response echoes the request.
   */
  private async *responses(
    name: string,
    { responseData, responseDelayMs, error }: StreamDefinition,
    info: Message | undefined,
  ): AsyncIterable<Message> {
    for (const [index, data] of responseData.entries()) {
      await delay(responseDelayMs);
      yield this.payload(name, data, index === 0 ? info : undefined);
    }
    if (error !== undefined) throw this.error(error, responseData.length === 0 ? info : undefined);
  }

  /**
   * Returns the information for a response. Only the first response of a stream echoes the headers; later
   * responses echo only requests.
   */
  private bidiInfo(requests: readonly Message[], sent: number, exchange: Exchange): Message {
    if (sent === 0) return this.requestInfo("BidiStream", requests, exchange);
    return this.info({ requests: requests.map((request) => this.packed("BidiStream", request)) });
  }

  private requestInfo(kind: string, requests: readonly Message[], exchange: Exchange): Message {
    const { requestHeader, requestMethod, url } = exchange;
    return this.info({
      requestHeaders: headersOf(requestHeader),
      timeoutMs: timeoutOf(exchange),
      requests: requests.map((request) => this.packed(kind, request)),
      ...(requestMethod === "GET" && {
        connectGetInfo: { queryParams: headersOf(new URL(url).searchParams) },
      }),
    });
  }

  private info(value: object): Message {
    return create(this.schema.message("ConformancePayload.RequestInfo"), value as never);
  }

  private packed(kind: string, request: Message): Any {
    return anyPack(this.schema.message(`${kind}Request`), request as never);
  }

  private payload(name: string, data: Uint8Array, requestInfo: Message | undefined): Message {
    return create(this.schema.message(name), { payload: { data, requestInfo } } as never);
  }

  private error({ code, message = "", details }: ErrorDefinition, info: Message | undefined): ConnectError {
    const error = new ConnectError(message, code);
    const infos = info === undefined ? [] : [anyPack(this.infoType, info as never)];
    error.details.push(...[...details, ...infos].map(incoming));
    return error;
  }

  private get infoType(): DescMessage {
    return this.schema.message("ConformancePayload.RequestInfo");
  }
}

/** Converts an error detail whose type may be unknown. */
function incoming({ typeUrl, value }: Any): { readonly type: string; readonly value: Uint8Array } {
  return { type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1), value };
}

function setHeaders(
  { responseHeader, responseTrailer }: Exchange,
  definition:
    | { readonly responseHeaders: readonly Header[]; readonly responseTrailers: readonly Header[] }
    | undefined,
): void {
  append(responseHeader, definition?.responseHeaders);
  append(responseTrailer, definition?.responseTrailers);
}

function append(target: Headers, headers: readonly Header[] = []): void {
  for (const { name, value: values } of headers) {
    for (const value of values) target.append(name, value);
  }
}

/** Returns names with their values, from a query or from a Headers object, which joins values. */
function headersOf(entries: Iterable<[string, string]>): Header[] {
  return [...entries].map(([name, value]) => ({ name, value: [value] }));
}

/** Returns the request's timeout in milliseconds. The gateway's default timeout does not count. */
function timeoutOf({ requestHeader: header, values }: Exchange): bigint | undefined {
  if (values.get(callKey)?.deadline.isClientBound !== true) return undefined;
  const connect = header.get("connect-timeout-ms");
  if (connect !== null) return BigInt(connect);
  const grpc = header.get("grpc-timeout");
  const unit = GRPC_TIMEOUT_UNITS[grpc?.at(-1) ?? ""];
  return grpc === null || unit === undefined
    ? undefined
    : BigInt(Math.round(Number(grpc.slice(0, -1)) * unit));
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Waits as the suite specifies. The suite's tests of timeouts measure real time. */
async function delay(ms: number | undefined): Promise<void> {
  if (ms === undefined || ms === 0) return;
  await new Promise((resolve) => setTimeout(resolve, ms));
}
