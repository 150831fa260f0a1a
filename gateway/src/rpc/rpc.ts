import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  type Interceptor,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import type { Admission, UpstreamShare } from "../admission/admission.ts";
import type { Refused } from "../admission/refused.ts";
import { type Call, callInterceptor, callKey } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { applyDeadline, deadlineOf, type MethodTimeout, timeoutHeader } from "../call/deadline.ts";
import { protocolOf } from "../call/protocol.ts";
import { serveCall } from "../connect-path/call-handler.ts";
import { createRaceInterceptor } from "../connect-path/race.ts";
import { serveUnary, type UnaryMethod } from "../fast-path/call-unary.ts";
import { leanCall } from "../fast-path/fast-call.ts";
import type { Limits } from "../limits.ts";
import type { HttpRequest, HttpResponse } from "../listener/http.ts";
import { refuseCall } from "../protocol/error-response.ts";
import { requestHeaders } from "../protocol/headers.ts";
import type { Validation } from "../protocol/validate.ts";
import { startCallTrace } from "../trace/call-trace.ts";
import { versionError } from "./check-connect-request.ts";
import { queryMessageError } from "./query-message.ts";
import { unpackedInTurn } from "./semaphore.ts";
import { unknownPathError } from "./unknown-path.ts";

export interface RpcOptions {
  readonly limits: Limits;
  readonly routes: (router: ConnectRouter) => void;
  /** Run after the race for the deadline, in this order. */
  readonly interceptors: readonly Interceptor[];
  readonly validation: Pick<Validation, "check">;
  /** Methods that need no handler of the router's, as the lean path takes them. */
  readonly unaryOf: (method: DescMethod) => UnaryMethod | undefined;
  readonly methodTimeout: MethodTimeout;
  readonly admission: Admission;
  /** The upstream that a method calls; undefined for none. */
  readonly shareOf: (method: DescMethod) => UpstreamShare | undefined;
  /** Services whose calls are taken however busy the gateway is. */
  readonly isAlwaysServed: (service: DescService) => boolean;
  /** Told of every call that was not taken, after it was answered. */
  readonly onRefused: (call: Call, refused: Refused) => void;
  /** When aborted, streaming calls end with UNAVAILABLE. */
  readonly streamsEnd: AbortSignal;
  /** Told of every call that reached a method, once its answer is out; `error` is a defect of ours. */
  readonly onDone: (call: Call, response: HttpResponse, error?: unknown) => void;
}

/** Connect, gRPC and gRPC-Web over the routes of a Connect router. */
export interface Rpc {
  /** The services that have routes, in the order of their names, with the methods that have some. */
  readonly services: readonly DescService[];
  /** Serves a request whatever its path. */
  serve(request: HttpRequest, response: HttpResponse, caller: Caller): void;
}

export function createRpc(options: RpcOptions): Rpc {
  const { limits } = options;
  const acceptCompression = unpackedInTurn([compressionGzip, compressionBrotli]);
  const router = createConnectRouter({
    acceptCompression,
    readMaxBytes: limits.readMaxBytes,
    writeMaxBytes: limits.writeMaxBytes,
    jsonOptions: { recursionLimit: limits.messageDepth },
    binaryOptions: { recursionLimit: limits.messageDepth },
    interceptors: [createRaceInterceptor(options.streamsEnd), callInterceptor, ...options.interceptors],
    requestGate: (context) => {
      const call = context.values.get(callKey);
      if (call !== undefined) call.signal = context.signal;
    },
  });
  options.routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  const services = servicesOf(router.handlers);
  return {
    services,
    serve: (request, response, caller) => {
      const path = (request.url ?? "").split("?", 1)[0] ?? "";
      const handler = handlers.get(path);
      if (handler === undefined) {
        refuse(request, response, unknownPathError(path, services), 404);
        return;
      }
      const problem = versionError(request) ?? queryMessageError(request);
      if (problem !== undefined) {
        refuse(request, response, problem, 400);
        return;
      }
      const call = beginCall(handler.method, request, caller, options);
      const { method, protocol } = call;
      const lean = leanCall(request, protocol, method, options.unaryOf(method), acceptCompression);
      const serve = () =>
        lean === undefined
          ? serveCall(handler, call, headersFor(call, request, options), request, response, limits)
          : serveUnary(lean, call, request, response, options);
      const start = () => void run(serve, call, request, response, options);
      if (options.isAlwaysServed(handler.service)) {
        start();
        return;
      }
      const leave = options.admission.enter({
        client: call.client,
        deadlineAt: call.startedAt + call.deadline.ms,
        share: options.shareOf(call.method),
        isUnary: call.method.methodKind === "unary",
        run: start,
        refuse: (refused) => {
          refuse(request, response, refused.error, codeToHttpStatus(refused.error.code));
          options.onRefused(call, refused);
        },
      });
      response.once("close", leave);
    },
  };
}

async function run(
  serve: () => Promise<void>,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  options: RpcOptions,
): Promise<void> {
  try {
    await serve();
    options.onDone(call, response);
  } catch (error) {
    fail(request, response);
    options.onDone(call, response, error);
  }
}

/** Answers with an internal error, or ends the answer that has begun. Never throws: nobody would catch it. */
function fail(request: HttpRequest, response: HttpResponse): void {
  try {
    if (!response.headersSent) {
      refuse(request, response, new ConnectError("internal error", Code.Internal), 500);
      return;
    }
  } catch {
    // What is left to do is the same.
  }
  response.destroy();
}

function refuse(request: HttpRequest, response: HttpResponse, error: ConnectError, status: number): void {
  const contentType = request.headers["content-type"];
  refuseCall(response, protocolOf(contentType), contentType, error, status);
}

function beginCall(method: DescMethod, request: HttpRequest, caller: Caller, options: RpcOptions): Call {
  const { headers } = request;
  const protocol = protocolOf(headers["content-type"]);
  const timeout = headers[timeoutHeader(protocol)]?.toString();
  return {
    ...caller,
    method,
    protocol,
    startedAt: performance.now(),
    deadline: deadlineOf(timeout, protocol, method, options.methodTimeout(method), options.limits),
    trace: startCallTrace(method, protocol, caller, headers),
    bytesIn: 0,
    bytesOut: 0,
    attempts: 0,
    upstreamStatus: undefined,
    signal: undefined,
  };
}

/** The headers of a request for connect's handler, which takes the deadline from them. */
function headersFor({ protocol, method }: Call, request: HttpRequest, options: RpcOptions): Headers {
  const headers = requestHeaders(request);
  applyDeadline(headers, protocol, method, options.methodTimeout(method), options.limits);
  return headers;
}

function servicesOf(handlers: readonly UniversalHandler[]): DescService[] {
  const served = new Set(handlers.map(({ method }) => method));
  const services = [...new Set(handlers.map(({ service }) => service))];
  return services
    .map((service) => withMethods(service, served))
    .sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
}

/** A service as if it had no methods but those that are served. */
function withMethods(service: DescService, served: ReadonlySet<DescMethod>): DescService {
  const methods = service.methods.filter((method) => served.has(method));
  const method = Object.fromEntries(methods.map((each) => [each.localName, each]));
  return methods.length === service.methods.length ? service : { ...service, methods, method };
}
