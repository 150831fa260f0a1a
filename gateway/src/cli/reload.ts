import { changesOf } from "../config/changes.ts";
import type { Prepared } from "../config/inspect.ts";
import type { LiveUpstreams } from "../config/live-upstreams.ts";
import { ConfigError } from "../config/problems.ts";
import type { Gateway } from "../gateway.ts";
import type { Logger } from "../log/logger.ts";
import { oneWaiting } from "./one-waiting.ts";

/** The input of a reload, and the parts of the gateway that it changes. */
export interface ReloadOptions {
  /** Reads the current configuration; rejects with ConfigError. */
  readonly read: () => Promise<Prepared>;
  /** The configuration at startup. */
  readonly running: Prepared;
  readonly gateway: Pick<Gateway, "reload">;
  readonly upstreams: LiveUpstreams;
  readonly log: Logger;
}

/**
 * Returns a function that reads the configuration again, and applies settings that can change at run time:
 * the log level, credentials, certificates, and reloadable limits. Everything is checked before anything
 * changes, so an invalid configuration changes nothing, and its problems are logged. Never rejects. Reloads
 * run one at a time, and waiting requests share one reload.
 */
export function createReload({ read, running, gateway, upstreams, log }: ReloadOptions): () => Promise<void> {
  return reloader(log, async () => {
    const next = await read();
    const { live, restart } = changesOf(running, next);
    const { limits } = next.config.server;
    // Certificate and secret files may have new contents under unchanged names.
    const hasTls = running.tls !== undefined && next.tls !== undefined;
    const keepsClients = (running.tls?.clientCa !== undefined) === (next.tls?.clientCa !== undefined);
    gateway.reload({ limits, ...(hasTls && keepsClients ? { tls: next.tls } : {}) });
    upstreams.reload(next.upstreams);
    log.level = next.config.log.level;
    log.info({ settings: live }, "configuration reloaded");
    if (restart.length > 0) log.warn({ settings: restart }, "these settings count after a restart only");
  });
}

/** Returns a function that reloads, one reload at a time, and logs problems. */
export function reloader(log: Logger, reload: () => Promise<void>): () => Promise<void> {
  return oneWaiting(() =>
    reload().catch((error: unknown) => {
      const problems = error instanceof ConfigError ? error.message.split("\n") : [String(error)];
      log.error({ problems }, "configuration not reloaded, the one before is kept");
    }),
  );
}
