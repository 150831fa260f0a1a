import cluster, { type Worker } from "node:cluster";
import { randomBytes } from "node:crypto";
import { Broker } from "../bus/broker.ts";
import type { BrokerPeer } from "../bus/broker-peer.ts";
import type { UpstreamOverrides } from "../config/secrets.ts";
import type { Survey } from "../console/options.ts";
import type { Logger } from "../log/logger.ts";
import type { MetricsSnapshot } from "../metrics/metrics.ts";
import { returnHandoffs } from "./handoffs.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { FromWorker, Measured, WorkerReady, WorkerStart } from "./messages.ts";
import { tellWorker } from "./worker.ts";

/**
 * The delay before a worker is restarted for the second time within a minute, in milliseconds. The delay
 * doubles with each further restart.
 */
const SECOND_WAIT_MS = 100;
const LONGEST_WAIT_MS = 30_000;
const STABLE_MS = 60_000;

/** The interval between heartbeats to workers, in milliseconds. */
const BEAT_MS = 1000;

/** The name of Node's warning that a worker lost a connection because it had no file descriptor for it. */
const LOST_HANDLE = "SentHandleNotReceivedWarning";

/** The maximum time that a worker may take to send its metrics, in milliseconds. */
const METRICS_MS = 2000;

export interface SupervisorOptions {
  /** Settings for the upstreams that a sandbox replaces, by name. */
  readonly upstreams: UpstreamOverrides | undefined;
  readonly log: Logger;
  /** Called when a worker exits on its own. */
  readonly onRestart: () => void;
  /** Receives the last known metrics of a worker that has exited. */
  readonly onLeft: (metrics: MetricsSnapshot) => void;
  /** Returns what all workers have counted, for the console of a worker. */
  readonly survey: () => Promise<Survey>;
}

/** The error for a worker that exited before it listened. */
export class WorkerFailed extends Error {
  readonly status: number;

  constructor(how: string, status: number) {
    super(`a worker ${how} before it was ready; its own message is above`);
    this.status = status;
  }
}

/** The values that all workers share. */
interface Given extends Pick<WorkerStart, "upstreams" | "resumeKey"> {
  /** The broker of the feeds that workers watch. */
  readonly broker: Broker;
  /** Returns whether any worker accepts connections. */
  readonly hasOthers: () => boolean;
  readonly survey: () => Promise<Survey>;
}

/** A worker process, from the point of view of the primary process. */
class Member {
  readonly number: number;
  readonly worker: Worker;
  readonly startedAt = performance.now();
  readonly ready: Promise<WorkerReady>;
  readonly exited: Promise<string>;
  isReady = false;
  /** Whether the worker is retired. A retired worker is not restarted when it exits. */
  isLeaving = false;
  /** The last counts that the worker sent. */
  counted: Measured | undefined;
  private readonly measuring = new Map<number, (measured: Measured) => void>();
  private requests = 0;
  private readonly heart = new Heartbeat();

  private readonly survey: () => Promise<Survey>;

  constructor(number: number, count: number, { upstreams, resumeKey, broker, hasOthers, survey }: Given) {
    this.number = number;
    this.survey = survey;
    this.worker = cluster.fork();
    returnHandoffs(this.worker.process, hasOthers);
    const feeds = broker.connect((message) => tellWorker(this.worker, { type: "feed", message }));
    this.worker.on("error", () => undefined);
    this.exited = new Promise((resolve) => {
      this.worker.once("exit", (code, signal) => {
        resolve(signal === null ? `exited with status ${code}` : `was ended by ${signal}`);
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.worker.on("message", (message: FromWorker) => {
        this.hear(message, feeds);
        if (message.type === "ready") resolve(message);
      });
      this.worker.once("exit", (code) => {
        void this.exited.then((how) => reject(new WorkerFailed(how, code > 0 ? code : 1)));
      });
    });
    void this.exited.then(() => feeds.close());
    // avoids an unhandled rejection; the callers that wait for a worker receive the error
    this.ready.catch(() => undefined);
    void tellWorker(this.worker, { type: "start", number, count, upstreams, resumeKey });
  }

  /** Sends a heartbeat; returns false if the worker has not responded to the latest heartbeats. */
  beat(): boolean {
    void tellWorker(this.worker, { type: "beat" });
    return this.heart.beat();
  }

  /** Resolves to the worker's counts, or to undefined if the worker does not send them in time. */
  measure(): Promise<Measured | undefined> {
    const request = this.requests++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.measuring.delete(request) && resolve(undefined), METRICS_MS);
      this.measuring.set(request, (measured) => {
        clearTimeout(timer);
        resolve(measured);
      });
      void tellWorker(this.worker, { type: "measure", request });
    });
  }

  private hear(message: FromWorker, feeds: BrokerPeer): void {
    if (message.type === "ready") {
      this.isReady = true;
      return;
    }
    this.heart.heard();
    if (message.type === "beating") return;
    if (message.type === "feed") {
      feeds.receive(message.message);
      return;
    }
    if (message.type === "survey") {
      void this.respond(message.request);
      return;
    }
    this.counted = message;
    if (message.type === "measured") {
      this.measuring.get(message.request)?.(message);
      this.measuring.delete(message.request);
    }
  }

  private async respond(request: number): Promise<void> {
    const survey = await this.survey();
    await tellWorker(this.worker, { type: "surveyed", request, survey });
  }
}

/**
 * Keeps a number of worker processes running that share one port. A worker that exits on its own is
 * restarted: the first time immediately, and after repeated restarts with an increasing delay.
 */
export class Supervisor {
  private readonly options: SupervisorOptions;
  private readonly members = new Set<Member>();
  private readonly broker = new Broker();
  private readonly resumeKey = randomBytes(32).toString("base64url");
  private count: number;
  private waitMs = 0;
  private readonly waits = new Set<NodeJS.Timeout>();
  private isStopping = false;
  private isRenewing = false;
  /** Numbers of workers that exited on their own and whose replacements do not listen yet. */
  private readonly isReplacing = new Set<number>();

  constructor(count: number, options: SupervisorOptions) {
    this.count = count;
    this.options = options;
    setInterval(() => this.beat(), BEAT_MS).unref();
    process.on("warning", ({ name }) => {
      if (name === LOST_HANDLE) void this.renew();
    });
  }

  /** The number of listening workers that are not being retired. */
  get ready(): number {
    return [...this.members].filter(({ isReady, isLeaving }) => isReady && !isLeaving).length;
  }

  /**
   * Starts one worker, which validates the setup, and then the other workers.
   *
   * @throws WorkerFailed if a worker exits before it listens
   */
  async start(): Promise<readonly WorkerReady[]> {
    const first = await this.add(1).ready;
    const others = Array.from({ length: this.count - 1 }, (_, index) => this.add(index + 2).ready);
    return [first, ...(await Promise.all(others))];
  }

  /** Makes all workers reload the configuration. */
  reload(): void {
    for (const { worker } of this.members) void tellWorker(worker, { type: "reload" });
  }

  /**
   * Replaces the running workers with `count` new workers, one at a time; each old worker is retired once its
   * replacement listens. Rejects if a new worker fails to start; the remaining old workers then keep running.
   */
  async roll(count: number): Promise<void> {
    const old = this.staying();
    this.count = count;
    for (let number = 1; number <= count; number++) {
      if (this.isStopping) return;
      await this.add(number).ready;
      for (const member of old.filter((each) => each.number === number)) retire(member);
    }
    for (const member of old.filter((each) => each.number > count)) retire(member);
  }

  /** Resolves to the counts of each worker. */
  async measure(): Promise<readonly Measured[]> {
    const ready = [...this.members].filter(({ isReady }) => isReady);
    // if a worker is too busy to respond, its last counts are used
    const none = { metrics: [], failures: [] };
    return Promise.all(ready.map(async (member) => (await member.measure()) ?? member.counted ?? none));
  }

  /**
   * Forwards a signal to all workers, and resolves when they have exited. Kills workers that do not exit in
   * time.
   */
  async stop(signal: NodeJS.Signals, withinMs: number): Promise<void> {
    this.isStopping = true;
    for (const wait of this.waits) clearTimeout(wait);
    const members = [...this.members];
    for (const member of members) {
      member.isLeaving = true;
      member.worker.process.kill(member.isReady ? signal : "SIGKILL");
    }
    const timer = setTimeout(() => this.kill(), withinMs);
    await Promise.all(members.map(({ exited }) => exited));
    clearTimeout(timer);
  }

  /** Kills all workers immediately. */
  kill(): void {
    this.isStopping = true;
    for (const { worker } of this.members) worker.process.kill("SIGKILL");
  }

  /**
   * Sends heartbeats, and kills workers that have stopped responding, because their clients would wait
   * forever.
   */
  private beat(): void {
    for (const member of this.staying()) {
      if (!member.isReady || member.beat()) continue;
      this.options.log.error({ worker: member.number }, "a worker does not respond, it is ended");
      member.worker.process.kill("SIGKILL");
    }
  }

  /**
   * Replaces all workers after one of them has lost a connection, because Node passes no further connections
   * to that worker.
   */
  private async renew(): Promise<void> {
    if (this.isRenewing || this.isStopping) return;
    this.isRenewing = true;
    this.options.log.error("a worker had no file left for a connection, workers are replaced");
    try {
      await this.roll(this.count);
    } catch (error) {
      this.options.log.error({ problem: String(error) }, "workers not replaced");
    } finally {
      this.isRenewing = false;
    }
  }

  private staying(): Member[] {
    return [...this.members].filter(({ isLeaving }) => !isLeaving);
  }

  private add(number: number): Member {
    const member = new Member(number, this.count, {
      upstreams: this.options.upstreams,
      resumeKey: this.resumeKey,
      broker: this.broker,
      hasOthers: () => this.ready > 0,
      survey: this.options.survey,
    });
    this.members.add(member);
    void member.exited.then((how) => this.gone(member, how));
    const { pid } = member.worker.process;
    const isUp = () => this.options.log.info({ started: number, pid }, "worker ready");
    void member.ready.then(isUp, () => undefined);
    return member;
  }

  private gone(member: Member, how: string): void {
    this.members.delete(member);
    if (member.counted !== undefined) this.options.onLeft(member.counted.metrics);
    if (member.isLeaving || this.isStopping) return;
    // `start` and `roll` handle workers that fail to start, except replacements for workers that exited on
    // their own
    if (!member.isReady && !this.isReplacing.has(member.number)) return;
    this.replace(member, how);
  }

  private replace({ number, startedAt }: Member, how: string): void {
    if (performance.now() - startedAt >= STABLE_MS) this.waitMs = 0;
    const waitMs = this.waitMs;
    this.waitMs = Math.min(Math.max(waitMs * 2, SECOND_WAIT_MS), LONGEST_WAIT_MS);
    this.isReplacing.add(number);
    this.options.onRestart();
    this.options.log.error({ worker: number, ended: how, waitMs }, "a worker ended, another one is started");
    if (waitMs === 0) {
      this.restart(number);
      return;
    }
    const wait = setTimeout(() => {
      this.waits.delete(wait);
      this.restart(number);
    }, waitMs);
    this.waits.add(wait);
  }

  private restart(number: number): void {
    if (number > this.count) return;
    const isUp = () => this.isReplacing.delete(number);
    void this.add(number).ready.then(isUp, () => undefined);
  }
}

function retire(member: Member): void {
  member.isLeaving = true;
  void tellWorker(member.worker, { type: "retire" });
}
