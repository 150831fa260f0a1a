import { loadAdapters } from "../config/adapters.ts";
import { checkDifferences } from "../config/check-differences.ts";
import { checkPassThrough } from "../config/check-pass-through.ts";
import { checkUpstreams } from "../config/check-upstreams.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { resolveModule } from "../config/modules.ts";
import { ConfigError } from "../config/problems.ts";
import { resolveUpstreams } from "../config/secrets.ts";
import { resolveTls } from "../config/tls.ts";
import { loadTypes } from "../config/types.ts";
import { type Gateway, startGateway } from "../gateway.ts";
import { createLogger, type Logger } from "../log/logger.ts";
import { type Sandbox, startSandbox } from "../sandbox/sandbox-process.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { printError, printLine } from "./output.ts";
import { tryLines } from "./ready-lines.ts";

export interface ServeOptions {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
  readonly sandbox?: boolean;
  readonly sandboxPublicUrl?: string;
  readonly sandboxTls?: boolean;
  readonly sandboxTlsCert?: string;
  readonly sandboxTlsKey?: string;
}

/** `connect-rest serve`: runs until a signal, then drains. A second signal ends the process at once. */
export async function serve(options: ServeOptions): Promise<void> {
  const config = loadConfig(options.config, process.env);
  const adapters = await loadAdapters(config);
  const types = await loadTypes(config);
  const log = createLogger(config.log.level);
  reportStrayErrors(log);
  const sandbox = options.sandbox === true ? await startConfiguredSandbox(config, options) : undefined;
  try {
    const corsHeaders = checkPassThrough(config);
    checkDifferences(config, adapters);
    const upstreams = resolveUpstreams(config, process.env, sandbox?.upstreams, adapters);
    checkUpstreams(config, adapters, upstreams);
    const { host, port, limits, origins, proxies, metrics } = config.server;
    const tls = resolveTls(config);
    const gateway = await listen(options.host ?? host, options.port ?? port, (host, port) =>
      startGateway({
        adapters,
        types,
        upstreams,
        strict: config.strict,
        differences: config.differences,
        examples: config.examples,
        host,
        port,
        limits,
        origins,
        corsHeaders,
        proxies,
        metrics,
        tls,
        log,
      }),
    );
    // Before the ready line: whoever reads it may send a signal at once.
    const stopped = untilStopped(sandbox, log);
    announce(gateway, config, sandbox !== undefined);
    await stopped;
    await gateway.close();
    log.info("drained");
  } finally {
    await sandbox?.stop();
  }
}

function startConfiguredSandbox(config: Config, options: ServeOptions): Promise<Sandbox> {
  const { sandbox } = config;
  if (sandbox === undefined) {
    const text = "--sandbox needs this setting: { module: PATH, port: PORT }";
    throw new ConfigError([{ file: config.file, key: "sandbox", text }]);
  }
  const module = resolveModule(sandbox.module, config.directory);
  return startSandbox({ module, port: sandbox.port, args: sandboxArguments(options) });
}

/** The options of the sandbox's own command line. */
function sandboxArguments(options: ServeOptions): string[] {
  const values = [
    ["--public-url", options.sandboxPublicUrl],
    ["--tls-cert", options.sandboxTlsCert],
    ["--tls-key", options.sandboxTlsKey],
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
  if (withSandbox) for (const line of tryLines(gateway, config.examples)) printLine(line);
}

/**
 * For how many milliseconds a further signal is taken for the same one: under `npm start`, Ctrl-C reaches the process
 * twice, from the terminal and from npm.
 */
const SAME_SIGNAL_MS = 300;

/** Resolves upon the first SIGTERM or SIGINT, and when the sandbox dies. */
function untilStopped(sandbox: Sandbox | undefined, log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    let stoppedAt = 0;
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping && performance.now() - stoppedAt < SAME_SIGNAL_MS) return;
      if (stopping) process.exit(EXIT_STATUS.failure);
      stopping = true;
      stoppedAt = performance.now();
      log.info({ signal }, "draining; a second signal ends at once");
      resolve();
    };
    process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
    void sandbox?.exited.then((how) => {
      if (stopping) return;
      stopping = true;
      printError(`error: ${how}; the gateway stops`);
      process.exitCode = EXIT_STATUS.failure;
      resolve();
    });
  });
}

/** The last resort: an error that nothing caught is a defect of one request, and no reason to end the others. */
function reportStrayErrors(log: Logger): void {
  const report = (error: unknown) => {
    log.error({ cause: error instanceof Error ? error.stack : String(error) }, "stray error");
  };
  process.on("uncaughtException", report).on("unhandledRejection", report);
}
