/**
 * Takes a chunk of whole lines, and calls back later, once all of it is written or something failed. Never blocks.
 */
export type Sink = (chunk: string, done: (error?: Error | null) => void) => void;

/** Bytes that wait for a slow reader. */
const MAX_QUEUED_BYTES = 1024 * 1024;

/** Bytes that are handed to the sink at a time: as much as a pipe holds. */
const CHUNK_BYTES = 64 * 1024;

/** How long lines are gathered, in milliseconds, when there are many: to write is what costs, whatever there is to write. */
const GATHER_MS = 10;

/** So often something is written at once within that time; what comes after it waits for its end. */
const MAX_AT_ONCE = 4;

/**
 * Lines on their way to a reader who may be slow, stopped or gone. A line goes out at once, unless there were many just before:
 * then it waits for more of them, at most `gatherMs`. Whoever writes never waits: beyond `maxBytes` lines are dropped, as a whole,
 * and counted.
 */
export class LineQueue {
  private readonly sink: Sink;
  private readonly maxBytes: number;
  private readonly gatherMs: number;
  private readonly idle = new Set<() => void>();
  private lines: string[] = [];
  private bytes = 0;
  private isWriting = false;
  /** Since when it is counted how often something was written, by `performance.now()`. */
  private countedSince = Number.NEGATIVE_INFINITY;
  private writes = 0;
  /** Set while lines are gathered. */
  private timer: NodeJS.Timeout | undefined;
  private dropped = 0;
  private unreported = 0;
  private report: ((dropped: number) => void) | undefined;
  private lastFailure: Error | undefined;

  constructor(sink: Sink, maxBytes: number = MAX_QUEUED_BYTES, gatherMs: number = GATHER_MS) {
    this.sink = sink;
    this.maxBytes = maxBytes;
    this.gatherMs = gatherMs;
  }

  /** Lines that were dropped so far. */
  get droppedLines(): number {
    return this.dropped;
  }

  /** Why something could not be written; undefined as long as all could. */
  get failure(): Error | undefined {
    return this.lastFailure;
  }

  /** Bytes that wait, with those that are being written. */
  get queuedBytes(): number {
    return this.bytes;
  }

  /** Notifies of lines that were dropped, once the reader has taken half of what waited. */
  onFlow(report: (dropped: number) => void): void {
    this.report = report;
  }

  /** Adds a line, with its newline. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.bytes + bytes > this.maxBytes) {
      this.drop(1);
      return;
    }
    this.lines.push(line);
    this.bytes += bytes;
    if (this.isWriting) return;
    if (this.timer === undefined) {
      this.gather();
    } else if (this.bytes >= CHUNK_BYTES) {
      this.writeNext();
    }
  }

  /** Resolves when every line is written or dropped, at the latest after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.timer !== undefined) this.writeNext();
    if (!this.isWriting) return;
    await new Promise<void>((resolve) => {
      const timer = Number.isFinite(timeoutMs) ? setTimeout(resolve, timeoutMs) : undefined;
      this.idle.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Writes what waits, now or once there may be more. */
  private gather(): void {
    const now = performance.now();
    if (now >= this.countedSince + this.gatherMs) {
      this.countedSince = now;
      this.writes = 0;
    }
    const isNow = this.writes < MAX_AT_ONCE || this.bytes >= CHUNK_BYTES || this.idle.size > 0;
    if (isNow || this.lines.length === 0) {
      this.writeNext();
    } else {
      this.timer = setTimeout(() => this.writeNext(), this.countedSince + this.gatherMs - now);
    }
  }

  private writeNext(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines.length === 0) {
      for (const resolve of this.idle) resolve();
      this.idle.clear();
      return;
    }
    const { lines, bytes } = this.takeChunk();
    this.isWriting = true;
    this.writes++;
    this.sink(lines.join(""), (error) => {
      this.isWriting = false;
      this.bytes -= bytes;
      if (error) {
        this.lastFailure = error;
        this.drop(lines.length);
      } else {
        this.reportDropped();
      }
      // a report may have begun to write
      if (!this.isWriting && this.timer === undefined) this.gather();
    });
  }

  /** At least one line where there is one. Nothing is being written. */
  private takeChunk(): { readonly lines: readonly string[]; readonly bytes: number } {
    const { lines } = this;
    if (this.bytes <= CHUNK_BYTES) {
      this.lines = [];
      return { lines, bytes: this.bytes };
    }
    let bytes = 0;
    let count = 0;
    for (const line of lines) {
      const size = Buffer.byteLength(line);
      if (count > 0 && bytes + size > CHUNK_BYTES) break;
      bytes += size;
      count += 1;
    }
    return { lines: lines.splice(0, count), bytes };
  }

  private drop(lines: number): void {
    this.dropped += lines;
    this.unreported += lines;
  }

  private reportDropped(): void {
    if (this.unreported === 0 || this.bytes > this.maxBytes / 2) return;
    const dropped = this.unreported;
    this.unreported = 0;
    this.report?.(dropped);
  }
}
