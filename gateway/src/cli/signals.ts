import tty from "node:tty";
import { EXIT_STATUS } from "./exit-status.ts";

type StopSignal = "SIGTERM" | "SIGINT";
const STOP_SIGNALS: readonly StopSignal[] = ["SIGTERM", "SIGINT"];

/**
 * For how many milliseconds the same signal is taken for the same one: under `npm start`, Ctrl-C reaches the
 * process twice, from the terminal and from npm.
 */
const SAME_SIGNAL_MS = 300;

/** What a process was told: SIGHUP is that its terminal is gone. */
export interface Stop {
  readonly signal: StopSignal | "SIGHUP";
  /** Runs what listened to the signal before, such as the shutdown of an SDK. Resolves when it is done. */
  readonly runOthers: () => Promise<void>;
}

/**
 * Resolves upon the first SIGTERM or SIGINT; a second one ends the process at once. Listeners that were there
 * before, such as an SDK's that shuts itself down, wait until the last call is done.
 */
export function untilStopped(): Promise<Stop> {
  return new Promise((resolve) => {
    let first: StopSignal | undefined;
    let stoppedAt = 0;
    const others = new Map(STOP_SIGNALS.map((signal) => [signal, process.listeners(signal)]));
    const onSignal = (signal: NodeJS.Signals) => {
      const stop = STOP_SIGNALS.find((each) => each === signal);
      if (stop === undefined) return;
      if (first === signal && performance.now() - stoppedAt < SAME_SIGNAL_MS) return;
      if (first !== undefined) process.exit(EXIT_STATUS.failure);
      first = stop;
      stoppedAt = performance.now();
      const runOthers = async () => {
        await Promise.allSettled((others.get(stop) ?? []).map(async (listener) => listener(stop)));
      };
      resolve({ signal: stop, runOthers });
    };
    for (const signal of STOP_SIGNALS) process.removeAllListeners(signal).on(signal, onSignal);
  });
}

/** Hears SIGHUP from the beginning, when nobody can act upon it yet. */
export class HangUp {
  private readonly terminal = [0, 1, 2].find((fd) => tty.isatty(fd));
  private isPending = false;
  private onReload: (() => void) | undefined;
  private onGone: (() => void) | undefined;

  /** Resolves when the terminal is gone from which the process was started. */
  readonly gone: Promise<Stop>;

  constructor() {
    this.gone = new Promise((resolve) => {
      this.onGone = () => resolve({ signal: "SIGHUP", runOthers: async () => undefined });
    });
    process.on("SIGHUP", () => this.hear());
  }

  /** Calls a function upon each SIGHUP from now on, and at once if there was one before. */
  start(onReload: () => void): void {
    this.onReload = onReload;
    if (this.isPending) onReload();
  }

  private hear(): void {
    if (this.terminal !== undefined && !tty.isatty(this.terminal)) {
      this.onGone?.();
    } else if (this.onReload === undefined) {
      this.isPending = true;
    } else {
      this.onReload();
    }
  }
}
