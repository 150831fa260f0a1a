import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { type ConnectRouter, createConnectRouter, type Interceptor } from "@connectrpc/connect";
import type { Compression, UniversalHandler } from "@connectrpc/connect/protocol";
import { callKey } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { protocolOf } from "../call/protocol.ts";
import { callInterceptor } from "../connect-path/call-interceptor.ts";
import { createKeysInterceptor } from "../connect-path/keys-interceptor.ts";
import { placeInterceptor } from "../connect-path/place-interceptor.ts";
import { createRaceInterceptor } from "../connect-path/race.ts";
import { gateKey } from "../connect-path/read-request.ts";
import type { UnaryCall } from "../fast-path/call-unary.ts";
import { fastCallOf } from "../fast-path/fast-call.ts";
import { readHead } from "../fast-path/head.ts";
import { OpenStreams } from "../fast-path/open-streams.ts";
import { Callbacks } from "../listener/callbacks.ts";
import type { Exchange, HttpRequest, HttpResponse } from "../listener/http.ts";
import type { CallOptions } from "./call-options.ts";
import { CLIENT_COMPRESSIONS } from "./client-compressions.ts";
import { createDecompress } from "./compressions.ts";
import { exactRouter } from "./exact-router.ts";
import { Outbox } from "./outbox.ts";
import { resolve } from "./resolve.ts";
import { serveCall, type Wanted } from "./serve-call.ts";
import { serveUnary } from "./serve-unary.ts";

export interface RpcOptions
  extends Omit<CallOptions, "compressions" | "decompress" | "openStreams" | "outbox"> {
  readonly routes: (router: ConnectRouter) => void;
  /** Interceptors that run inside the deadline race, in this order. */
  readonly interceptors: readonly Interceptor[];
  /** Whether errors list the available services and methods. */
  readonly isListed: boolean;
  /** When aborted, streaming calls end with UNAVAILABLE. */
  readonly streamsEnd: AbortSignal;
}

/** Serves Connect, gRPC and gRPC-Web for the routes of a Connect router. */
export interface Rpc {
  /** The services that have routes, sorted by name, with only their routed methods. */
  readonly services: readonly DescService[];
  /** The dependencies of calls. */
  readonly callOptions: CallOptions;
  /**
   * Serves a request if it is a unary call on the fast path; returns false for any other request. The caller
   * must not set a response header first, not even the request ID, so that everything is written in one call.
   */
  serveUnary(request: HttpRequest, response: HttpResponse, client: Caller, exchange: Exchange): boolean;
  /** Serves a request for any path. */
  serve(request: HttpRequest, response: HttpResponse, client: Caller, exchange: Exchange): void;
}

/** The kind of a request: a unary call on the fast path, or anything else. */
type Found =
  | { readonly kind: "unary"; readonly method: DescMethod; readonly unary: UnaryCall }
  | ({ readonly kind: "other" } & Wanted);

export function createRpc(options: RpcOptions): Rpc {
  const compressions = [...CLIENT_COMPRESSIONS];
  const { handlers } = createRouter(options, compressions);
  const services = servicesOf(handlers);
  const byPath = new Map(handlers.map((handler) => [handler.requestPath, handler]));
  const routes = { handlers: byPath, services, isListed: options.isListed };
  const callOptions: CallOptions = {
    ...options,
    compressions,
    decompress: createDecompress(options.limits),
    openStreams: new OpenStreams(options.streamsEnd),
    outbox: new Outbox(new Callbacks(options.onError)),
  };
  const find = (request: HttpRequest): Found => {
    const handler = resolve(request, routes);
    if ("error" in handler) return { kind: "other", handler };
    const { method } = handler;
    const protocol = protocolOf(request.headers["content-type"]);
    const head = readHead(request, protocol, handler, compressions);
    if (typeof head === "number") return { kind: "other", handler, unsupported: head };
    const fast = fastCallOf(head, protocol, method, options);
    if (fast?.kind === "unary") return { kind: "unary", method, unary: fast.unary };
    return { kind: "other", handler, stream: fast?.stream };
  };
  return {
    services,
    callOptions,
    serveUnary: (request, response, client, exchange) => {
      const found = find(request);
      if (found.kind === "unary") {
        serveUnary({ ...found, request, response, exchange, hasHeaders: false }, client, callOptions);
      }
      return found.kind === "unary";
    },
    serve: (request, response, client, exchange) => {
      const found = find(request);
      if (found.kind === "unary") {
        serveUnary({ ...found, request, response, exchange, hasHeaders: true }, client, callOptions);
      } else {
        void serveCall(request, response, client, exchange, found, callOptions);
      }
    },
  };
}

function createRouter(options: RpcOptions, acceptCompression: Compression[]): ConnectRouter {
  const { limits } = options;
  const jsonOptions = { recursionLimit: limits.messageDepth, registry: options.types };
  const router = createConnectRouter({
    acceptCompression,
    readMaxBytes: limits.readMaxBytes,
    writeMaxBytes: limits.writeMaxBytes,
    jsonOptions,
    binaryOptions: { recursionLimit: limits.messageDepth },
    interceptors: [
      createRaceInterceptor(options.streamsEnd),
      createKeysInterceptor(options.types),
      placeInterceptor,
      callInterceptor,
      ...options.interceptors,
    ],
    requestGate: async (context) => {
      const call = context.values.get(callKey);
      if (call !== undefined) call.signal = context.signal;
      await context.values.get(gateKey)();
    },
  });
  options.routes(exactRouter(router, jsonOptions, options.types));
  return router;
}

function servicesOf(handlers: readonly UniversalHandler[]): DescService[] {
  const served = new Set(handlers.map(({ method }) => method));
  const services = [...new Set(handlers.map(({ service }) => service))];
  return services
    .map((service) => withMethods(service, served))
    .sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
}

/** Returns a copy of a service that contains only the served methods. */
function withMethods(service: DescService, served: ReadonlySet<DescMethod>): DescService {
  const methods = service.methods.filter((method) => served.has(method));
  const method = Object.fromEntries(methods.map((each) => [each.localName, each]));
  return methods.length === service.methods.length ? service : { ...service, methods, method };
}
