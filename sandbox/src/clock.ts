/** A clock that tests can set. It is the only source of time in the sandbox. */
export class Clock {
  private offset = 0;
  private frozen: number | undefined;

  /**
   * @param start the time at which the clock is stopped, in milliseconds since 1970; by default the clock
   *   follows the system time
   */
  constructor(start?: number) {
    this.frozen = start;
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    return this.frozen ?? Date.now() + this.offset;
  }

  /** Returns the time in whole seconds since 1970. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Advances the clock by `ms` milliseconds. A negative number sets it back. */
  advance(ms: number): void {
    if (this.frozen === undefined) {
      this.offset += ms;
    } else {
      this.frozen += ms;
    }
  }

  /** Stops the clock at a time in milliseconds since 1970. From then on, only `advance` changes the time. */
  freeze(ms: number = this.now()): void {
    this.frozen = ms;
  }

  /** Makes the clock follow the system time again. */
  reset(): void {
    this.frozen = undefined;
    this.offset = 0;
  }
}

/** Formats a time as `YYYY-MM-DD HH:MM:SS GMT`, as in every `date` field. */
export function gmtDate(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} GMT`;
}

/** Formats a time as ISO 8601 in whole seconds: `YYYY-MM-DDTHH:MM:SSZ`. */
export function isoDate(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
