import { changesOf } from "../config/changes.ts";
import type { Prepared } from "../config/inspect.ts";
import type { LiveUpstreams } from "../config/live-upstreams.ts";
import { ConfigError } from "../config/problems.ts";
import type { Gateway } from "../gateway.ts";
import type { Logger } from "../log/logger.ts";
import { oneWaiting } from "./one-waiting.ts";

/** What a reload reads, and what it changes. */
export interface ReloadOptions {
  /** Reads the configuration as it is now; rejects with ConfigError. */
  readonly read: () => Promise<Prepared>;
  /** What was started. */
  readonly running: Prepared;
  readonly gateway: Pick<Gateway, "reload">;
  readonly upstreams: LiveUpstreams;
  readonly log: Logger;
}

/**
 * Returns a function that reads the configuration again, and takes over what can change while the gateway
 * runs: the level of the log, credentials, certificates, and limits that reload. All is read and checked
 * before anything changes: a configuration that is wrong changes nothing, and its problems are in the log.
 * Never rejects; reloads run one after the other, and those that wait are one.
 */
export function createReload({ read, running, gateway, upstreams, log }: ReloadOptions): () => Promise<void> {
  return reloader(log, async () => {
    const next = await read();
    const { live, restart } = changesOf(running, next);
    const { limits } = next.config.server;
    // Files of certificates and secrets may have changed where their names have not.
    const hasTls = running.tls !== undefined && next.tls !== undefined;
    const keepsClients = (running.tls?.clientCa !== undefined) === (next.tls?.clientCa !== undefined);
    gateway.reload({ limits, ...(hasTls && keepsClients ? { tls: next.tls } : {}) });
    upstreams.reload(next.upstreams);
    log.level = next.config.log.level;
    log.info({ settings: live }, "configuration reloaded");
    if (restart.length > 0) log.warn({ settings: restart }, "these settings count after a restart only");
  });
}

/** Returns a function that reloads, one reload after the other, and logs what is wrong. */
export function reloader(log: Logger, reload: () => Promise<void>): () => Promise<void> {
  return oneWaiting(() =>
    reload().catch((error: unknown) => {
      const problems = error instanceof ConfigError ? error.message.split("\n") : [String(error)];
      log.error({ problems }, "configuration not reloaded, the one before is kept");
    }),
  );
}
