/** Loads the modules that only few gateways need, more than half of all modules, when they are needed. */
import type { Rest } from "connect-rest-runtime";
import type { PreparedAuthorization, PrepareOptions } from "../authorization/caller-authorization.ts";
import type { BusMaker, BusObserver, BusOptions, ProcessBus } from "../bus/bus-options.ts";
import type { GatewayUpstream } from "../credentials/gateway-upstream.ts";
import type { ServerOptions } from "./options.ts";

export async function prepareCallers(
  options: PrepareOptions<GatewayUpstream>,
): Promise<PreparedAuthorization<GatewayUpstream>> {
  const { prepareAuthorization } = await import("../authorization/caller-authorization.ts");
  return await prepareAuthorization(options);
}

export async function explainRoutesOf(rest: Rest): Promise<ServerOptions["explainRoutes"]> {
  const { explainRoutes } = await import("../explain/explain-routes.ts");
  return (router, options) => explainRoutes(router, rest, options);
}

export async function makeBus(options: BusOptions | BusMaker, observer: BusObserver): Promise<ProcessBus> {
  if (typeof options === "function") return options(observer);
  const { RedisBus } = await import("../bus/redis-bus.ts");
  return new RedisBus(options, observer);
}
