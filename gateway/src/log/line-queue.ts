/**
 * Takes a chunk of whole lines, and calls back later, once all of it is written or something failed.
 * Never blocks.
 */
export type Sink = (chunk: string, done: (error?: Error | null) => void) => void;

/** Bytes that wait for a slow reader. */
const MAX_QUEUED_BYTES = 1024 * 1024;

/** Bytes that are handed to the sink at a time: as much as a pipe holds. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Lines on their way to a reader who may be slow, stopped or gone. Whoever writes never waits: beyond
 * `maxBytes` lines are dropped, as a whole, and counted.
 */
export class LineQueue {
  private readonly sink: Sink;
  private readonly maxBytes: number;
  private readonly idle = new Set<() => void>();
  private lines: string[] = [];
  private bytes = 0;
  private isWriting = false;
  private dropped = 0;
  private unreported = 0;
  private report: ((dropped: number) => void) | undefined;
  private lastFailure: Error | undefined;

  constructor(sink: Sink, maxBytes: number = MAX_QUEUED_BYTES) {
    this.sink = sink;
    this.maxBytes = maxBytes;
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
    if (!this.isWriting) this.writeNext();
  }

  /** Resolves when every line is written or dropped, at the latest after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (!this.isWriting) return;
    await new Promise<void>((resolve) => {
      const timer = Number.isFinite(timeoutMs) ? setTimeout(resolve, timeoutMs) : undefined;
      this.idle.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private writeNext(): void {
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
      this.writeNext();
    });
  }

  /** At least one line where there is one. */
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
