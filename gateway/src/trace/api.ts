import { createRequire } from "node:module";

type Api = typeof import("@opentelemetry/api");
type Core = typeof import("@opentelemetry/core");

const require = createRequire(import.meta.url);

/** Where every copy of the API of OpenTelemetry looks for what an SDK has registered. */
const GLOBAL_API = Symbol.for("opentelemetry.js.api.1");

let api: Api | undefined;
let core: Core | undefined;

/** What an SDK has registered for all copies of the API; undefined where there is none. */
export function registeredApi(): object | undefined {
  const global: unknown = Reflect.get(globalThis, GLOBAL_API);
  return typeof global === "object" && global !== null ? global : undefined;
}

/**
 * The API of OpenTelemetry, loaded with the first call that is traced: a hundred modules, which nobody needs
 * without an SDK and without callers that trace. What it shares with an SDK is the same for all copies of it.
 */
export function tracingApi(): Api {
  api ??= require("@opentelemetry/api") as Api;
  return api;
}

/** What goes with the API where there is no SDK: the propagator of W3C Trace Context. */
export function tracingCore(): Core {
  core ??= require("@opentelemetry/core") as Core;
  return core;
}
