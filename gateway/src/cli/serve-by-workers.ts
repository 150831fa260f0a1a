import { changesOf } from "../config/changes.ts";
import { type Overrides, type Prepared, prepare } from "../config/inspect.ts";
import type { Config } from "../config/load.ts";
import { withDefaultLimits } from "../limits.ts";
import { isLoopback } from "../listener/hosts.ts";
import type { SideServer } from "../listener/side-server.ts";
import { createLogger, type Logger } from "../log/logger.ts";
import { startMetricsServer } from "../metrics/metrics-server.ts";
import { MergedMetrics } from "../workers/merged-metrics.ts";
import type { WorkerReady } from "../workers/messages.ts";
import { Supervisor, WorkerFailed } from "../workers/supervisor.ts";
import { endOf, startConfiguredSandbox } from "./configured-sandbox.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { LAST_LINES_MS, printError, printLine } from "./output.ts";
import { reloader } from "./reload.ts";
import { HangUp, type Stop, untilStopped } from "./signals.ts";
import { warnOfUpstreams } from "./warn-of-upstreams.ts";
import { type WorkersFlags, workersOf } from "./workers-of.ts";

/** The time that a worker has for its last spans and log lines after it has drained, in milliseconds. */
const LAST_WORDS_MS = 5000 + LAST_LINES_MS;

/** Settings of the primary process, which do not change when the workers are replaced. */
const OF_PRIMARY = ["server.metrics", "sandbox"];

/**
 * Serves with several processes that share the port. The primary process runs the workers and serves no calls
 * itself: it starts the sandbox, forwards signals, merges metrics, and replaces workers one at a time when
 * the configuration changes.
 */
export async function serveByWorkers(options: WorkersFlags, count: number): Promise<void> {
  const hangUp = new HangUp();
  const sandbox = await startConfiguredSandbox(options);
  try {
    const overrides: Overrides = { upstreams: sandbox?.upstreams, host: options.host };
    const running = await prepare(options.config, process.env, overrides);
    const log = createLogger(running.config.log.level);
    warnOfUpstreams(log, running, overrides.upstreams);
    const supervisor: Supervisor = new Supervisor(count, {
      upstreams: sandbox?.upstreams,
      log,
      onRestart: () => metrics.restarted(),
      onLeft: (counted) => void metrics.keep(counted),
      survey: () => metrics.survey(),
    });
    const metrics = new MergedMetrics(
      () => supervisor.ready,
      () => supervisor.measure(),
    );
    const stopped = Promise.race([untilStopped(), hangUp.gone, endOf(sandbox)]);
    const isUp = await start(supervisor, stopped);
    if (isUp === undefined) return;
    const metricsServer = await serveMetrics(running.config, metrics, supervisor);
    hangUp.start(
      createRoll({
        read: () => prepare(options.config, process.env, overrides),
        running,
        options,
        supervisor,
        log,
      }),
    );
    announce(isUp, metricsServer, sandbox !== undefined);
    log.info({ workers: count }, "workers started");
    await stop(supervisor, await stopped, running.config, log);
    await metricsServer?.close();
  } finally {
    await sandbox?.stop();
  }
}

/**
 * Starts the workers. Returns undefined if a worker fails (the worker itself reports its error), or if the
 * process has to exit before all workers are ready.
 */
async function start(
  supervisor: Supervisor,
  stopped: Promise<Stop | string>,
): Promise<readonly WorkerReady[] | undefined> {
  try {
    const first = await Promise.race([supervisor.start(), stopped.then(() => undefined)]);
    if (first === undefined) supervisor.kill();
    return first;
  } catch (error) {
    supervisor.kill();
    if (!(error instanceof WorkerFailed)) throw error;
    process.exitCode = error.status;
    return undefined;
  }
}

async function serveMetrics(
  { server: { metrics: place } }: Config,
  metrics: MergedMetrics,
  supervisor: Supervisor,
): Promise<SideServer | undefined> {
  try {
    return place && (await startMetricsServer(metrics, place));
  } catch (error) {
    supervisor.kill();
    throw error;
  }
}

function announce(
  workers: readonly WorkerReady[],
  metrics: SideServer | undefined,
  withSandbox: boolean,
): void {
  const [first] = workers;
  printLine(`gateway ready on ${first?.url}`);
  if (first?.consoleUrl !== undefined) printLine(`console ready on ${first.consoleUrl}`);
  if (metrics !== undefined) printLine(`metrics ready on ${metrics.url}`);
  for (const { diagnosticsUrl } of workers) {
    if (diagnosticsUrl !== undefined) printLine(`diagnostics ready on ${diagnosticsUrl}`);
  }
  if (withSandbox) for (const line of first?.lines ?? []) printLine(line);
}

/** Drains the workers, as a single process would. */
async function stop(
  supervisor: Supervisor,
  reason: Stop | string,
  { server: { host, limits } }: Config,
  log: Logger,
): Promise<void> {
  const { drainNoticeMs, drainGraceMs } = withDefaultLimits(limits, isLoopback(host));
  const withinMs = drainNoticeMs + drainGraceMs + LAST_WORDS_MS;
  if (typeof reason === "string") {
    printError(`error: ${reason}; the gateway stops`);
    process.exitCode = EXIT_STATUS.failure;
    await supervisor.stop("SIGINT", withinMs);
    return;
  }
  log.info({ signal: reason.signal }, "draining; a second signal ends at once");
  process.once("exit", () => supervisor.kill());
  await supervisor.stop(reason.signal === "SIGTERM" ? "SIGTERM" : "SIGINT", withinMs);
  log.info("drained");
  await reason.runOthers();
}

interface RollOptions {
  readonly read: () => Promise<Prepared>;
  readonly running: Prepared;
  readonly options: WorkersFlags;
  readonly supervisor: Supervisor;
  readonly log: Logger;
}

/**
 * Returns the handler of SIGHUP. Changes to reloadable settings apply in each worker; other changes replace
 * the workers one at a time. An invalid configuration changes nothing. Never rejects. Runs do not overlap:
 * all signals that arrive during a run share one further run.
 */
function createRoll({ read, running: first, options, supervisor, log }: RollOptions): () => Promise<void> {
  let running = first;
  return reloader(log, async () => {
    const next = await read();
    const { restart } = changesOf(running, next);
    const [own, others] = [restart.filter(isOfPrimary), restart.filter((setting) => !isOfPrimary(setting))];
    log.level = next.config.log.level;
    if (own.length > 0) log.warn({ settings: own }, "these settings count after a restart only");
    if (others.length === 0) {
      supervisor.reload();
    } else {
      log.info({ settings: others }, "configuration changed, workers are replaced");
      await supervisor.roll(workersOf(options));
      log.info("workers replaced");
    }
    running = next;
  });
}

function isOfPrimary(setting: string): boolean {
  return OF_PRIMARY.some((group) => setting === group || setting.startsWith(`${group}.`));
}
