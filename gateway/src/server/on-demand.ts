/** Loads modules on demand that only few gateways need: more than half of all modules. */
import type { Rest } from "connect-rest-runtime";
import type { PreparedAuthorization, PrepareOptions } from "../authorization/caller-authorization.ts";
import type { BusMaker, BusObserver, BusOptions, ProcessBus } from "../bus/bus-options.ts";
import { type ConsoleSettings, isConsoleServed } from "../console/options.ts";
import type { GatewayUpstream } from "../credentials/gateway-upstream.ts";
import { failExchange } from "../listener/exchange.ts";
import { DEFAULT_HOST } from "../listener/hosts.ts";
import { outgoing } from "../listener/http.ts";
import { requireMcpSdk } from "../mcp/load.ts";
import { type McpEndpoint, type McpOptions, mcpPathOf } from "../mcp/options.ts";
import { reject } from "../protocol/reject.ts";
import type { ServerOptions } from "./options.ts";

export type { McpOptions } from "../mcp/options.ts";

/** @param settings decide whether the console and tools are served */
export async function prepareCallers(
  parts: Omit<PrepareOptions<GatewayUpstream>, "console">,
  settings: ConsoleOptions & { readonly mcp?: McpOptions | undefined },
): Promise<PreparedAuthorization<GatewayUpstream>> {
  const options = { ...parts.options, toolsPath: mcpPathOf(settings.mcp) };
  const { prepareAuthorization } = await import("../authorization/caller-authorization.ts");
  return await prepareAuthorization({ ...parts, options, console: hasConsole(settings) });
}

/** Loads the service that explains calls; undefined if it is not served. */
export async function explainRoutesOf(
  options: ExplainOptions,
  rest: Rest,
): Promise<ServerOptions["explainRoutes"]> {
  if (!hasExplain(options)) return undefined;
  const { explainRoutes } = await import("../explain/explain-routes.ts");
  return (router, options) => explainRoutes(router, rest, options);
}

/**
 * Returns the endpoint that serves tools; undefined if tools are not served. Its first request loads the SDK
 * and the comments, since their memory would make all calls of a gateway dearer whose tools nobody uses.
 */
export function mcpEndpointOf(
  mcp: McpOptions | undefined,
  rest: Rest,
  comments: () => Promise<ReadonlyMap<string, string>>,
): ServerOptions["mcpEndpoint"] {
  const path = mcpPathOf(mcp);
  if (mcp === undefined || path === undefined) return undefined;
  requireMcpSdk();
  return (calls) => {
    let loaded: Promise<McpEndpoint> | undefined;
    const load = async () => {
      const { createMcpEndpoint } = await import("../mcp/endpoint.ts");
      return createMcpEndpoint(rest, await comments(), calls, mcp);
    };
    return {
      path,
      serve: (request, response, caller, authorization) => {
        loaded ??= load();
        loaded.then(
          (endpoint) => {
            // the client may have left during the load
            if (!outgoing(response).destroyed) endpoint.serve(request, response, caller, authorization);
          },
          (error: unknown) => {
            // the next request tries again
            loaded = undefined;
            calls.onError(error);
            failExchange(request, response, reject);
          },
        );
      },
    };
  };
}

export async function makeBus(options: BusOptions | BusMaker, observer: BusObserver): Promise<ProcessBus> {
  if (typeof options === "function") return options(observer);
  const { RedisBus } = await import("../bus/redis-bus.ts");
  return new RedisBus(options, observer);
}

type ConsoleOptions = Partial<ConsoleSettings>;

/** The options that decide whether calls are explained. */
interface ExplainOptions extends ConsoleOptions {
  readonly explain?: boolean | undefined;
  readonly authorization?: unknown;
}

function hasExplain({ explain, authorization, ...settings }: ExplainOptions): boolean {
  if (explain !== undefined || authorization !== undefined) return explain === true;
  return hasConsole(settings);
}

function hasConsole({ console, host = DEFAULT_HOST, hosts }: ConsoleOptions): boolean {
  return isConsoleServed({ console, host, hosts });
}
