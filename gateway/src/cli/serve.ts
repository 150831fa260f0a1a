import * as nodeModule from "node:module";
import { loadAuthorization } from "../authorization/load.ts";
import type { BusMaker } from "../bus/bus-options.ts";
import { GroupBus } from "../bus/group-bus.ts";
import { type Overrides, type Prepared, prepare } from "../config/inspect.ts";
import { LiveUpstreams } from "../config/live-upstreams.ts";
import type { Config } from "../config/load.ts";
import { type Gateway, startGateway } from "../gateway.ts";
import { createLogger, type Logger } from "../log/logger.ts";
import { flushTelemetry, telemetryProblem } from "../trace/telemetry.ts";
import type { Measured } from "../workers/messages.ts";
import { shareConfiguration } from "../workers/share-limits.ts";
import { type Orders, ordersOfWorker, tellPrimary } from "../workers/worker.ts";
import { endOf, type SandboxFlags, startConfiguredSandbox } from "./configured-sandbox.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { IdleMemory } from "./idle-memory.ts";
import { endWithoutReader, printError, printLine } from "./output.ts";
import { consoleAddress, tryLines } from "./ready-lines.ts";
import { createReload } from "./reload.ts";
import { authorizationOf, type Showcase, showcaseOf, upstreamsOf, withShowcase } from "./showcase.ts";
import { HangUp, type Stop, untilStopped } from "./signals.ts";
import { warnOfUpstreams } from "./warn-of-upstreams.ts";
import { type Workers, workersOf } from "./workers-of.ts";

export interface ServeOptions extends SandboxFlags {
  readonly port?: number;
  readonly host?: string;
  readonly workers?: Workers;
  /** Whether to authorize callers, who sign in at the sandbox. */
  readonly auth?: boolean;
}

/** The time that an SDK has to export its last spans, in milliseconds. */
export const TELEMETRY_MS = 3000;

/**
 * Runs `connect-rest serve`: serves until SIGTERM or SIGINT, then drains; a second signal ends the process
 * immediately. SIGHUP reloads the configuration. With several workers, this process is either the primary
 * process or a worker.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const orders = await ordersOfWorker();
  // workers do not share the in-memory state of the authorization
  const workers = orders === undefined && options.auth !== true ? workersOf(options) : 1;
  endWithoutReader();
  if (workers === 1) return await serveHere(options, orders);
  // a single process does not need the code for workers
  const { serveByWorkers } = await import("./serve-by-workers.ts");
  await serveByWorkers(options, workers);
}

/** Serves in this process, either alone or as one of several workers. */
async function serveHere(options: ServeOptions, orders: Orders | undefined): Promise<void> {
  const hangUp = new HangUp();
  const start = orders?.start;
  const showcase = options.auth === true ? await showcaseOf(options) : undefined;
  const flags = { ...options, ...showcase?.sandbox };
  const sandbox = start === undefined ? await startConfiguredSandbox(flags) : undefined;
  try {
    const overrides: Overrides = {
      upstreams: sandbox === undefined ? start?.upstreams : upstreamsOf(sandbox),
      host: options.host,
      authorization: showcase && sandbox && authorizationOf(showcase, sandbox),
    };
    const read = async () => {
      const prepared = withShowcase(await prepare(options.config, process.env, overrides), showcase);
      return start === undefined ? prepared : shareConfiguration(prepared, start);
    };
    const running = await read();
    const log = createLogger(running.config.log.level, undefined, start && { worker: start.number });
    reportStrayErrors(log);
    if (orders === undefined) warnOfUpstreams(log, running, overrides.upstreams);
    const problem = telemetryProblem();
    if (problem !== undefined) log.warn(problem);
    const upstreams = new LiveUpstreams(running.upstreams);
    const prepared = { ...running, upstreams: upstreams.options };
    const listening = { ...options, ...(showcase !== undefined && { port: showcase.port }) };
    const gateway = await startPrepared(prepared, listening, log, orders);
    // Registered before the ready line is printed, since its reader may send a signal immediately.
    const stopped = Promise.race([untilStopped(), hangUp.gone, endOf(sandbox), retirement(orders)]);
    const reload = createReload({ read, running, gateway, upstreams, log });
    hangUp.start(reload);
    if (orders === undefined) {
      announce(gateway, running.config, sandbox !== undefined, showcase);
    } else {
      report(orders, gateway, running.config, reload);
    }
    void gateway.warm.then(keepCompiled);
    const memory = watchMemory(gateway, log);
    const reason = await stopped;
    memory.stop();
    await stop(gateway, reason, log);
    if (orders !== undefined) await tellPrimary({ type: "left", ...(await measure(gateway)) });
  } finally {
    await sandbox?.stop();
  }
}

/** Saves the compile cache for the next start, even if this process is killed later. */
function keepCompiled(): void {
  // flushCompileCache exists since Node.js 22.10
  nodeModule.flushCompileCache?.();
}

/**
 * Reports to the primary process that the worker is ready, and handles the primary's messages from now on.
 */
function report(orders: Orders, gateway: Gateway, config: Config, reload: () => Promise<void>): void {
  const { url, diagnosticsUrl } = gateway;
  const consoleUrl = consoleAddress(gateway, config);
  orders.onReload(() => void reload());
  orders.onMeasure(async (request) => {
    await tellPrimary({ type: "measured", request, ...(await measure(gateway)) });
  });
  void tellPrimary({ type: "ready", url, consoleUrl, diagnosticsUrl, lines: tryLines(gateway, config) });
}

async function measure(gateway: Gateway): Promise<Measured> {
  return { metrics: await gateway.metrics(), failures: gateway.failures() };
}

/** The reason for stopping a worker that was replaced. */
const REPLACED = Symbol("replaced");

async function retirement(orders: Orders | undefined): Promise<typeof REPLACED> {
  await (orders?.retired ?? new Promise(() => undefined));
  return REPLACED;
}

/**
 * Drains, then runs the earlier listeners of the signal. Sets a failing exit status if the reason is an error
 * message.
 */
async function stop(gateway: Gateway, reason: Stop | string | typeof REPLACED, log: Logger): Promise<void> {
  if (reason === REPLACED) {
    log.info("draining; another worker listens in place of this one");
    await gateway.close({ isReplaced: true });
    log.info("drained");
    await atMost(TELEMETRY_MS, flushTelemetry());
  } else if (typeof reason === "string") {
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

/** Resolves when the work ends, or after the timeout. */
function atMost(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Starts releasing memory while the process is idle. */
function watchMemory(gateway: Gateway, log: Logger): IdleMemory {
  const memory = new IdleMemory({
    calls: gateway.calls,
    onCollected: (before, after) => log.debug({ before, after }, "memory given back"),
    onError: (error) => log.warn({ cause: String(error) }, "memory is not given back after a burst"),
  });
  memory.start();
  return memory;
}

async function startPrepared(
  { config, watching, authorization: resolved, ...parts }: Prepared,
  options: ServeOptions,
  log: Logger,
  orders: Orders | undefined,
): Promise<Gateway> {
  const store = resolved && (await (await loadAuthorization()).openStore(resolved.storePlace));
  const { server, strict, webAssembly, differences, examples, mcp, record } = config;
  const recorder =
    record && (await (await import("./open-recorder.ts")).openRecorder(record, config.directory, log));
  return listen(options.host ?? server.host, options.port ?? server.port, (host, port) =>
    startGateway({
      ...server,
      ...parts,
      ...watching,
      bus: watching.bus ?? busOfWorkers(orders),
      survey: orders && (() => orders.survey()),
      strict,
      webAssembly,
      differences,
      examples,
      mcp,
      recorder,
      host,
      port,
      // the primary process serves the metrics of all workers
      metrics: server.metrics && {
        ...server.metrics,
        port: orders !== undefined ? undefined : server.metrics.port,
      },
      authorization: resolved && store && { ...resolved, store },
      log,
    }),
  );
}

/** Returns the bus through which workers share feeds; undefined if the process is not a worker. */
function busOfWorkers(orders: Orders | undefined): BusMaker | undefined {
  return orders && ((observer) => new GroupBus(orders.broker, observer));
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
    const taken = error instanceof Error && "port" in error ? error.port : port;
    if (code === "EADDRINUSE" && port !== taken) {
      throw new Error(
        `port ${taken} is in use; name another as server.metrics.port or server.diagnostics.port, or 0 for a free one`,
      );
    }
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

function announce(
  gateway: Gateway,
  config: Config,
  withSandbox: boolean,
  showcase: Showcase | undefined,
): void {
  printLine(`gateway ready on ${gateway.url}`);
  const consoleUrl = consoleAddress(gateway, config, showcase?.publicUrl);
  if (consoleUrl !== undefined) printLine(`console ready on ${consoleUrl}`);
  if (gateway.metricsUrl !== undefined) printLine(`metrics ready on ${gateway.metricsUrl}`);
  if (gateway.diagnosticsUrl !== undefined) printLine(`diagnostics ready on ${gateway.diagnosticsUrl}`);
  const lines = tryLines(gateway, config, showcase?.publicUrl);
  if (withSandbox) for (const line of lines) printLine(line);
}

/**
 * Logs uncaught errors as a last resort: each is a defect that affects one request, and must not end the
 * other requests.
 */
function reportStrayErrors(log: Logger): void {
  const report = (error: unknown) => {
    log.error({ cause: error instanceof Error ? error.stack : String(error) }, "stray error");
  };
  process.on("uncaughtException", report).on("unhandledRejection", report);
}
