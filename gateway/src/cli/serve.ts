import { type Overrides, type Prepared, prepare } from "../config/inspect.ts";
import { LiveUpstreams } from "../config/live-upstreams.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { resolveModule } from "../config/modules.ts";
import { ConfigError } from "../config/problems.ts";
import { type Gateway, startGateway } from "../gateway.ts";
import { createLogger, type Logger } from "../log/logger.ts";
import { type Sandbox, startSandbox } from "../sandbox/sandbox-process.ts";
import { flushTelemetry, telemetryProblem } from "../trace/telemetry.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { endWithoutReader, printError, printLine } from "./output.ts";
import { tryLines } from "./ready-lines.ts";
import { createReload } from "./reload.ts";
import { HangUp, type Stop, untilStopped } from "./signals.ts";

export interface ServeOptions {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
  readonly sandbox?: boolean;
  readonly sandboxPublicUrl?: string;
  readonly sandboxTls?: boolean;
  readonly sandboxTlsCert?: string;
  readonly sandboxTlsKey?: string;
  readonly sandboxEvents?: string;
}

/** How long an SDK may take to hand over its last spans, in milliseconds. */
export const TELEMETRY_MS = 3000;

/**
 * `connect-rest serve`: runs until SIGTERM or SIGINT, then drains; a second signal ends the process at once. SIGHUP reloads
 * the configuration.
 */
export async function serve(options: ServeOptions): Promise<void> {
  endWithoutReader();
  const hangUp = new HangUp();
  const sandbox = options.sandbox === true ? await startConfiguredSandbox(options) : undefined;
  try {
    const overrides: Overrides = { upstreams: sandbox?.upstreams, host: options.host };
    const running = await prepare(options.config, process.env, overrides);
    const log = createLogger(running.config.log.level);
    reportStrayErrors(log);
    const problem = telemetryProblem();
    if (problem !== undefined) log.warn(problem);
    const upstreams = new LiveUpstreams(running.upstreams);
    const gateway = await startPrepared({ ...running, upstreams: upstreams.options }, options, log);
    // Before the ready line: whoever reads it may send a signal at once.
    const stopped = Promise.race([untilStopped(), hangUp.gone, endOf(sandbox)]);
    hangUp.start(createReload({ file: options.config, overrides, running, gateway, upstreams, log }));
    announce(gateway, running.config, sandbox !== undefined);
    await stop(gateway, await stopped, log);
  } finally {
    await sandbox?.stop();
  }
}

/** Drains, and lets those finish who listened to the signal before. Without a signal it is a failure. */
async function stop(gateway: Gateway, reason: Stop | string, log: Logger): Promise<void> {
  if (typeof reason === "string") {
    printError(`error: ${reason}; the gateway stops`);
    process.exitCode = EXIT_STATUS.failure;
    await gateway.close({ skipNotice: true });
    await atMost(TELEMETRY_MS, flushTelemetry());
  } else {
    log.info({ signal: reason.signal }, "draining; a second signal ends at once");
    await gateway.close({ skipNotice: reason.signal !== "SIGTERM" });
    log.info("drained");
    await atMost(TELEMETRY_MS, flushTelemetry().then(reason.runOthers));
  }
}

/** Resolves with the work, or when the time is over. */
function atMost(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function startPrepared(
  { config, adapters, types, upstreams, corsHeaders, tls, watching }: Prepared,
  options: ServeOptions,
  log: Logger,
): Promise<Gateway> {
  const { host, port, hosts, pages, reflection, limits, origins, proxies, metrics, diagnostics } =
    config.server;
  return listen(options.host ?? host, options.port ?? port, (host, port) =>
    startGateway({
      adapters,
      types,
      upstreams,
      ...watching,
      strict: config.strict,
      differences: config.differences,
      examples: config.examples,
      host,
      hosts,
      pages,
      reflection,
      port,
      limits,
      origins,
      corsHeaders,
      proxies,
      metrics,
      diagnostics,
      tls,
      log,
    }),
  );
}

function startConfiguredSandbox(options: ServeOptions): Promise<Sandbox> {
  const { sandbox, file, directory } = loadConfig(options.config, process.env);
  if (sandbox === undefined) {
    const text = "--sandbox needs this setting: { module: PATH, port: PORT }";
    throw new ConfigError([{ file, key: "sandbox", text }]);
  }
  const module = resolveModule(sandbox.module, directory);
  return startSandbox({ module, port: sandbox.port, args: sandboxArguments(options) });
}

/** Resolves with a text when the sandbox dies, if there is one. */
function endOf(sandbox: Sandbox | undefined): Promise<string> {
  return sandbox?.exited ?? new Promise(() => undefined);
}

/** The options of the sandbox's own command line. */
function sandboxArguments(options: ServeOptions): string[] {
  const values = [
    ["--public-url", options.sandboxPublicUrl],
    ["--tls-cert", options.sandboxTlsCert],
    ["--tls-key", options.sandboxTlsKey],
    ["--events", options.sandboxEvents],
  ] as const;
  const given = values.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return options.sandboxTls === true ? ["--tls", ...given] : given;
}

async function listen(
  host: string,
  port: number,
  start: (host: string, port: number) => Promise<Gateway>,
): Promise<Gateway> {
  try {
    return await start(host, port);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new Error(
        `port ${port} of ${host} is in use; name another with --port or GATEWAY_PORT, or 0 for a free one`,
      );
    }
    if (code === "EACCES") {
      throw new Error(
        `port ${port} of ${host} needs more rights; name one above 1023 with --port or GATEWAY_PORT`,
      );
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new Error(
        `${host} is no address of this machine; name another with --host, e.g. 127.0.0.1 or 0.0.0.0`,
      );
    }
    throw error;
  }
}

function announce(gateway: Gateway, config: Config, withSandbox: boolean): void {
  printLine(`gateway ready on ${gateway.url}`);
  if (gateway.metricsUrl !== undefined) printLine(`metrics ready on ${gateway.metricsUrl}`);
  if (gateway.diagnosticsUrl !== undefined) printLine(`diagnostics ready on ${gateway.diagnosticsUrl}`);
  if (withSandbox) for (const line of tryLines(gateway, config)) printLine(line);
}

/** The last resort: an error that nothing caught is a defect of one request, and no reason to end the others. */
function reportStrayErrors(log: Logger): void {
  const report = (error: unknown) => {
    log.error({ cause: error instanceof Error ? error.stack : String(error) }, "stray error");
  };
  process.on("uncaughtException", report).on("unhandledRejection", report);
}
