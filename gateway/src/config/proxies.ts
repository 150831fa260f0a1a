import { ConnectError } from "@connectrpc/connect";
import { type ProxyOptions, proxyFromEnvironment } from "connect-rest-runtime";
import type { Environment } from "./environment.ts";
import type { Problem } from "./problems.ts";

const VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY"] as const;

/** Returns a function that finds the proxy of an origin in the environment; adds problems to the list. */
export function proxiesOf(
  env: Environment,
  problems: Problem[],
): (origin: string) => ProxyOptions | undefined {
  const before = problems.length;
  for (const variable of VARIABLES) {
    try {
      proxyFromEnvironment(onlyOf(env, variable));
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      const [, key = variable, text = error.rawMessage] = /^option (\w+): (.*)$/.exec(error.rawMessage) ?? [];
      problems.push({ file: "environment", key, text });
    }
  }
  return problems.length > before ? () => undefined : proxyFromEnvironment(env);
}

/** Returns the environment variable that sets the proxy of an origin; undefined without a proxy. */
export function proxyVariable(env: Environment, origin: string): string | undefined {
  const proxyOf = proxiesOf(env, []);
  if (proxyOf(origin) === undefined) return undefined;
  const [https, http] = VARIABLES;
  const variable = origin.startsWith("https:") ? https : http;
  return env[variable.toLowerCase()]?.trim() ? variable.toLowerCase() : variable;
}

function onlyOf(env: Environment, variable: string): Environment {
  const names = [variable, variable.toLowerCase()];
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}
