/** The time before the bar appears, and between two updates, in milliseconds. */
const FIRST_MS = 1000;
const NEXT_MS = 100;
const WIDTH = 30;

/** The part of a stream that the bar uses. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A progress bar on a terminal. It appears only if the work takes longer than a second. */
export class ProgressBar {
  private readonly terminal: Terminal;
  private readonly now: () => number;
  private nextAt: number;
  private isShown = false;

  /** @param now returns the time in milliseconds; for tests */
  constructor(terminal: Terminal, now: () => number = () => performance.now()) {
    this.terminal = terminal;
    this.now = now;
    this.nextAt = now() + FIRST_MS;
  }

  /** Shows a share of the work, from 0 to 1. */
  show(share: number, text: string): void {
    const now = this.now();
    if (this.terminal.isTTY !== true || now < this.nextAt) return;
    this.nextAt = now + NEXT_MS;
    this.isShown = true;
    const bar = "#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, ".");
    this.terminal.write(`\r\x1b[K[${bar}] ${text}`);
  }

  /** Removes the bar, so that the next output begins on an empty line. */
  clear(): void {
    if (this.isShown) this.terminal.write("\r\x1b[K");
    this.isShown = false;
  }
}
