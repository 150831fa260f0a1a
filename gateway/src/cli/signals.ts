import tty from "node:tty";
import { EXIT_STATUS } from "./exit-status.ts";

type StopSignal = "SIGTERM" | "SIGINT";
const STOP_SIGNALS: readonly StopSignal[] = ["SIGTERM", "SIGINT"];

/**
 * The time within which repeated signals count as one, in milliseconds: under `npm start`, one Ctrl-C reaches
 * the process twice, from the terminal and from npm.
 */
const SAME_SIGNAL_MS = 300;

/** A signal that stops the process. SIGHUP means that the terminal was closed. */
export interface Stop {
  readonly signal: StopSignal | "SIGHUP";
  /**
   * Runs the earlier listeners of the signal, such as the shutdown of an SDK, and resolves when they have
   * finished.
   */
  readonly runOthers: () => Promise<void>;
}

/**
 * Resolves on the first SIGTERM or SIGINT; a second signal ends the process immediately. Earlier listeners,
 * such as the shutdown of an SDK, wait until the last call has ended.
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

/** Handles SIGHUP from the start, before a reload is possible. */
export class HangUp {
  private readonly terminal = [0, 1, 2].find((fd) => tty.isatty(fd));
  private isPending = false;
  private onReload: (() => void) | undefined;
  private onGone: (() => void) | undefined;

  /** Resolves when the terminal that started the process is closed. */
  readonly gone: Promise<Stop>;

  constructor() {
    this.gone = new Promise((resolve) => {
      this.onGone = () => resolve({ signal: "SIGHUP", runOthers: async () => undefined });
    });
    process.on("SIGHUP", () => this.hear());
  }

  /** Calls a function on each further SIGHUP, and immediately if a SIGHUP arrived earlier. */
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
