import { OPEN_DIAGNOSTICS } from "../diagnostics/diagnostics-server.ts";
import { isLoopback, missingHosts, OPEN_TO_ALL } from "../listener/hosts.ts";
import { type Config, problemAt } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";

/**
 * Checks that hosts are configured if the gateway listens on a non-loopback address.
 *
 * @param host the address to listen on
 * @throws ConfigError if no hosts are configured
 */
export function checkHosts(config: Config, host: string = config.server.host): void {
  if (config.server.hosts !== undefined || isLoopback(host)) return;
  throw new ConfigError([problemAt(config, ["server", "host"], missingHosts(host))]);
}

/** Returns warnings if anyone who can reach the gateway may call it or read its memory. */
export function hostWarnings(config: Config): Problem[] {
  const { host, diagnostics } = config.server;
  const open =
    isLoopback(host) || config.authorization !== undefined
      ? []
      : [problemAt(config, ["server", "host"], `${host}: ${OPEN_TO_ALL}`)];
  if (diagnostics === undefined || isLoopback(diagnostics.host)) return open;
  const text = `${diagnostics.host}: ${OPEN_DIAGNOSTICS}`;
  return [...open, problemAt(config, ["server", "diagnostics", "host"], text)];
}
