import { createRequire } from "node:module";

type Api = typeof import("@opentelemetry/api");
type Core = typeof import("@opentelemetry/core");

const require = createRequire(import.meta.url);

/** The key under which every copy of the OpenTelemetry API stores the objects that an SDK registers. */
const GLOBAL_API = Symbol.for("opentelemetry.js.api.1");

let api: Api | undefined;
let core: Core | undefined;

/** Returns the object that an SDK has registered for all copies of the API; undefined without an SDK. */
export function registeredApi(): object | undefined {
  const global: unknown = Reflect.get(globalThis, GLOBAL_API);
  return typeof global === "object" && global !== null ? global : undefined;
}

/**
 * Returns the OpenTelemetry API. Its hundred modules are loaded for the first traced call, since a gateway
 * without an SDK never needs them unless callers send a trace. All copies of the API share the SDK's
 * registered objects.
 */
export function tracingApi(): Api {
  api ??= require("@opentelemetry/api") as Api;
  return api;
}

/**
 * Returns OpenTelemetry's core package, which provides the W3C Trace Context propagator if there is no SDK.
 */
export function tracingCore(): Core {
  core ??= require("@opentelemetry/core") as Core;
  return core;
}
