import { isLoopbackOrigin, UPSTREAM_DEFAULTS } from "connect-rest-runtime/internal";
import { stringify } from "yaml";
import { DEFAULT_UPSTREAM_CALLS } from "../admission/admission.ts";
import { withDefaultLimits } from "../limits.ts";
import { isLoopback } from "../listener/hosts.ts";
import type { Environment } from "./environment.ts";
import type { Config } from "./load.ts";
import { maskAddress, maskUser } from "./mask.ts";
import { proxyVariable } from "./proxies.ts";
import type { SecretPlace } from "./schema-parts.ts";
import { isSecretSet } from "./secrets.ts";
import type { UpstreamConfig } from "./upstream-schema.ts";

/**
 * Prints the effective configuration as YAML: the file, the environment and all defaults. For a secret,
 * prints the file or variable from which it is read, with `[secret]` if it has a value and `[missing]` if
 * not.
 */
export function printConfig(config: Config, env: Environment): string {
  const {
    file: _,
    directory: __,
    yaml: ___,
    adapters,
    types,
    upstreams,
    server,
    authorization,
    watch,
    bus,
    ...rest
  } = config;
  const shown = Object.entries(upstreams).map(([name, upstream]) => {
    return [name, shownUpstream(upstream, config, env)] as const;
  });
  const all = {
    adapters,
    types,
    upstreams: Object.fromEntries(shown),
    ...(authorization === undefined ? {} : { authorization: maskSecrets(authorization, config, env) }),
    server: { ...server, limits: withDefaultLimits(server.limits, isLoopback(server.host)) },
    ...(watch && { watch: maskSecrets(watch, config, env) }),
    ...(bus && { bus: { ...maskSecrets(bus, config, env), url: maskAddress(bus.url) } }),
    ...rest,
  };
  return stringify(all, (_key, value: unknown) => (typeof value === "string" ? masked(value) : value));
}

/**
 * Masks the query of a string that is a URL, since the query may contain a secret. In other strings, a
 * question mark does not begin a query.
 */
function masked(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? maskAddress(text) : maskUser(text);
}

function shownUpstream(
  { baseUrl, bases, credentials, signIn, proxy, ...limits }: UpstreamConfig,
  config: Config,
  env: Environment,
) {
  const maskedBases = Object.entries(bases ?? {}).map(([name, address]) => [name, maskAddress(address)]);
  return {
    ...(baseUrl === undefined ? {} : { baseUrl: maskAddress(baseUrl) }),
    ...(bases === undefined ? {} : { bases: Object.fromEntries(maskedBases) }),
    ...(credentials === undefined ? {} : { credentials: maskSecrets(credentials, config, env) }),
    ...(signIn === undefined ? {} : { signIn: maskSecrets(signIn, config, env) }),
    proxy: shownProxy(proxy, baseUrl ?? Object.values(bases ?? {})[0] ?? "", config, env),
    ...UPSTREAM_DEFAULTS,
    callsInFlight: DEFAULT_UPSTREAM_CALLS,
    traceContext: true,
    ...limits,
    retry: limits.retry !== false && { ...UPSTREAM_DEFAULTS.retry, ...limits.retry },
    breaker: limits.breaker !== false && { ...UPSTREAM_DEFAULTS.breaker, ...limits.breaker },
    rateLimits: limits.rateLimits !== false && { ...UPSTREAM_DEFAULTS.rateLimits, ...limits.rateLimits },
  };
}

/** Returns the configured proxy, or the environment variable that sets the proxy for the base address. */
function shownProxy(
  proxy: UpstreamConfig["proxy"],
  baseUrl: string,
  config: Config,
  env: Environment,
): object | false {
  if (proxy !== undefined) return proxy && maskSecrets(proxy, config, env);
  const origin = URL.parse(baseUrl)?.origin;
  const variable = origin === undefined || isLoopbackOrigin(origin) ? undefined : proxyVariable(env, origin);
  return variable !== undefined && { env: variable };
}

/**
 * Settings that look like the location of a secret but are not: they contain a `file` setting or arbitrary
 * names.
 */
const NO_PLACES: ReadonlySet<string> = new Set(["store", "parameters"]);

/**
 * Masks secrets, which are the objects that have only a file or a variable. Recurses into all other objects.
 */
function maskSecrets(value: object, config: Config, env: Environment): object {
  if (!isPlace(value)) return maskWithin(value, config, env);
  return { ...value, value: isSecretSet(value, config, env) ? "[secret]" : "[missing]" };
}

function maskWithin(value: object, config: Config, env: Environment): object {
  const masked = (inner: unknown, mask = maskSecrets) =>
    typeof inner === "object" && inner !== null ? mask(inner, config, env) : inner;
  if (Array.isArray(value)) return value.map((each) => masked(each));
  const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => {
    return [name, masked(inner, NO_PLACES.has(name) ? maskWithin : maskSecrets)];
  });
  return Object.fromEntries(entries);
}

function isPlace(value: object): value is SecretPlace {
  const entries = Object.entries(value);
  return (
    entries.length === 1 && entries.every(([key, at]) => /^(?:file|env)$/.test(key) && typeof at === "string")
  );
}
