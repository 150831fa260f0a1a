import type { Prepared } from "../config/inspect.ts";
import type { UpstreamOverrides } from "../config/secrets.ts";
import { upstreamWarnings } from "../config/upstream-uses.ts";
import type { Logger } from "../log/logger.ts";

/**
 * Logs the upstream warnings of `check-config`: missing or unsuitable credentials, which make calls fail, and
 * upstreams without adapters. Skips upstreams that a sandbox replaces.
 */
export function warnOfUpstreams(
  log: Logger,
  { config, adapters }: Pick<Prepared, "config" | "adapters">,
  overrides: UpstreamOverrides = {},
): void {
  const upstreams = Object.entries(config.upstreams).filter(([name]) => !Object.hasOwn(overrides, name));
  const configured = { ...config, upstreams: Object.fromEntries(upstreams) };
  for (const { file, line, key, text } of upstreamWarnings(configured, adapters)) {
    log.warn({ setting: key, file, line }, text);
  }
}
