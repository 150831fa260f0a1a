/** A clock that tests can move; the sandbox's only source of time. */
export class Clock {
  private offset = 0;
  private frozen: number | undefined;

  /** @param start milliseconds since the epoch to freeze at; by default the clock follows the system time */
  constructor(start?: number) {
    this.frozen = start;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.frozen ?? Date.now() + this.offset;
  }

  /** Whole seconds since the epoch. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Moves the clock by `ms` milliseconds, backwards if negative. */
  advance(ms: number): void {
    if (this.frozen === undefined) {
      this.offset += ms;
    } else {
      this.frozen += ms;
    }
  }

  /** Stops the clock at `ms` since the epoch; after that only `advance` moves it. */
  freeze(ms: number = this.now()): void {
    this.frozen = ms;
  }

  /** Returns to the system time. */
  reset(): void {
    this.frozen = undefined;
    this.offset = 0;
  }
}

/** Formats a time as `YYYY-MM-DD HH:MM:SS GMT`, the form of every `date` field. */
export function gmtDate(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} GMT`;
}

/** Formats a time as ISO 8601 in whole seconds, `YYYY-MM-DDTHH:MM:SSZ`. */
export function isoDate(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
