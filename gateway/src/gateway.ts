import { createRest, type ServiceAdapter, type UpstreamOptions } from "connect-rest";
import { createDriftLog } from "./log/drift-log.ts";
import { silentLogger } from "./log/logger.ts";
import type { ServiceComments } from "./pages/start-page.ts";
import { currentCall } from "./protocol/call.ts";
import type { MethodTimeout } from "./protocol/deadline.ts";
import { type Server, type ServerOptions, startServer } from "./server.ts";

export interface GatewayOptions extends Omit<ServerOptions, "routes" | "methodTimeout" | "comments"> {
  /** What to serve: the adapters of generated modules. */
  readonly adapters: readonly ServiceAdapter[];
  /** By the names that the adapters use. */
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /** Fail calls whose answers are not what their description says. Default: log it. */
  readonly strict?: boolean;
  /** Further routes beside those of the adapters. */
  readonly routes?: ServerOptions["routes"];
}

/** A gateway that listens. */
export type Gateway = Server;

/**
 * Starts a gateway: the adapters as Connect, gRPC and gRPC-Web, with health, reflection and pages, on one port.
 * Rejects when the port cannot be had, or when the adapters and upstreams do not fit.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { adapters, upstreams, strict = false, routes, ...server } = options;
  const rest = createRest({
    adapters,
    upstreams,
    strict,
    onCall: ({ upstreamStatus }) => {
      const call = currentCall();
      if (call !== undefined) call.upstreamStatus = upstreamStatus;
    },
    onDrift: createDriftLog(options.log ?? silentLogger()),
  });
  try {
    const started = await startServer({
      ...server,
      routes: (router) => {
        rest.routes(router);
        routes?.(router);
      },
      methodTimeout: timeoutsOf(adapters),
      comments: commentsOf(adapters),
    });
    return { ...started, close: () => started.close().finally(() => rest.close()) };
  } catch (error) {
    await rest.close();
    throw error;
  }
}

function timeoutsOf(adapters: readonly ServiceAdapter[]): MethodTimeout {
  const methods = new Map(adapters.map(({ service, methods }) => [service.typeName, methods]));
  return (method) => methods.get(method.parent.typeName)?.[method.localName]?.rules.timeoutMs;
}

function commentsOf(adapters: readonly ServiceAdapter[]): Map<string, ServiceComments> {
  const entries = adapters.map(({ service, comments }) => [service.typeName, comments] as const);
  return new Map(entries.flatMap(([name, comments]) => (comments === undefined ? [] : [[name, comments]])));
}
