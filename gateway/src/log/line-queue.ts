/**
 * Writes a chunk of whole lines, and calls `done` asynchronously once the chunk has been written or the write
 * has failed. Never blocks.
 */
export type Sink = (chunk: string, done: (error?: Error | null) => void) => void;

/** The maximum number of queued bytes. */
const MAX_QUEUED_BYTES = 1024 * 1024;

/** The maximum number of bytes per write: the capacity of a pipe. */
const CHUNK_BYTES = 64 * 1024;

/** The options of a queue. */
export interface LineQueueOptions {
  /** Default: 1 MB. */
  readonly maxBytes?: number;
  /** The time in which lines are collected after a write, unless they fill a write. Default: 0. */
  readonly pauseMs?: number;
}

/**
 * Queues lines for a reader that may be slow, stopped or disconnected. Writers never wait: over `maxBytes`,
 * whole lines are dropped and counted. After each write, the queue collects lines for `pauseMs`, because a
 * write costs as much processor time as several lines.
 */
export class LineQueue {
  private readonly sink: Sink;
  private readonly maxBytes: number;
  private readonly pauseMs: number;
  private readonly idle = new Set<() => void>();
  private pause: NodeJS.Timeout | undefined;
  private lines: string[] = [];
  private bytes = 0;
  private isWriting = false;
  private dropped = 0;
  private unreported = 0;
  private report: ((dropped: number) => void) | undefined;
  private lastFailure: Error | undefined;

  constructor(sink: Sink, { maxBytes = MAX_QUEUED_BYTES, pauseMs = 0 }: LineQueueOptions = {}) {
    this.sink = sink;
    this.maxBytes = maxBytes;
    this.pauseMs = pauseMs;
  }

  /** The number of lines dropped so far. */
  get droppedLines(): number {
    return this.dropped;
  }

  /** The error of a failed write; undefined if no write has failed. */
  get failure(): Error | undefined {
    return this.lastFailure;
  }

  /** The number of queued bytes, including bytes being written. */
  get queuedBytes(): number {
    return this.bytes;
  }

  /**
   * Sets a callback that receives the number of dropped lines once the reader has taken half of the queued
   * bytes.
   */
  onFlow(report: (dropped: number) => void): void {
    this.report = report;
  }

  /** Adds a line, which ends with a newline. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.bytes + bytes > this.maxBytes) {
      this.drop(1);
      return;
    }
    this.lines.push(line);
    this.bytes += bytes;
    if (!this.isWriting || (this.pause !== undefined && this.bytes >= CHUNK_BYTES)) this.writeNext();
  }

  /** Resolves when every line has been written or dropped, or after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (!this.isWriting) return;
    await new Promise<void>((resolve) => {
      const timer = Number.isFinite(timeoutMs) ? setTimeout(resolve, timeoutMs) : undefined;
      this.idle.add(() => {
        clearTimeout(timer);
        resolve();
      });
      if (this.pause !== undefined) this.writeNext();
    });
  }

  private writeNext(): void {
    clearTimeout(this.pause);
    this.pause = undefined;
    const lines = this.takeChunk();
    if (lines.length === 0) {
      this.isWriting = false;
      for (const resolve of this.idle) resolve();
      this.idle.clear();
      return;
    }
    this.isWriting = true;
    const chunk = lines.join("");
    this.sink(chunk, (error) => {
      this.bytes -= Buffer.byteLength(chunk);
      if (error) {
        this.lastFailure = error;
        this.drop(lines.length);
      } else {
        this.reportDropped();
      }
      this.wrote();
    });
  }

  /** Continues after a write: after a pause, unless someone waits for the last line or a write is full. */
  private wrote(): void {
    if (this.pauseMs === 0 || this.idle.size > 0 || this.bytes >= CHUNK_BYTES) {
      this.writeNext();
    } else {
      this.pause = setTimeout(() => this.writeNext(), this.pauseMs);
    }
  }

  /** Takes lines up to the size of one write, but at least one line if the queue is not empty. */
  private takeChunk(): string[] {
    let bytes = 0;
    let count = 0;
    for (const line of this.lines) {
      bytes += Buffer.byteLength(line);
      if (count > 0 && bytes > CHUNK_BYTES) break;
      count += 1;
    }
    return this.lines.splice(0, count);
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
