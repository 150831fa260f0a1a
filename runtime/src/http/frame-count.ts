/**
 * The number of frames that every body may have. A longer body may have one more frame for each
 * `BYTES_PER_FRAME` bytes.
 */
const FREE_FRAMES = 16;
const BYTES_PER_FRAME = 4 * 1024;

const GZIP = [Buffer.of(0x1f, 0x8b, 0x08)];

/**
 * The bytes at the beginning of every zstd frame (RFC 8878 section 3, skippable or not) and of every gzip
 * member (RFC 1952 section 2.3), without the very first byte. Bodies in other codings are a single stream.
 */
const MARKS: ReadonlyMap<string, readonly Buffer[]> = new Map([
  ["gzip", GZIP],
  ["x-gzip", GZIP],
  ["zstd", [Buffer.of(0xb5, 0x2f, 0xfd), Buffer.of(0x2a, 0x4d, 0x18)]],
]);
/** The maximum number of a mark's bytes on one side of a chunk boundary, if the boundary splits the mark. */
const CUT = 2;

/**
 * Counts the frames of a compressed body before decompression. Each zstd frame needs a separate decoder, so a
 * few kilobytes of empty frames take as long as megabytes of text. The count includes byte sequences that
 * only look like the start of a frame; by chance, one such sequence occurs in every 16 megabytes.
 */
export class FrameCount {
  private readonly marks: readonly Buffer[];
  private bytes = 0;
  private frames = 0;
  private end: Uint8Array = new Uint8Array();

  constructor(coding: string) {
    this.marks = MARKS.get(coding) ?? [];
  }

  /** Adds a chunk, and reports whether the body still has an allowed number of frames. */
  allows(chunk: Uint8Array): boolean {
    if (this.marks.length === 0) return true;
    const seam = Buffer.concat([this.end, chunk.subarray(0, CUT)]);
    this.bytes += chunk.length;
    const most = FREE_FRAMES + this.bytes / BYTES_PER_FRAME;
    for (const mark of this.marks) {
      if (this.end.length > 0) this.count(seam, mark, most);
      this.count(chunk, mark, most);
    }
    this.end = Buffer.from((chunk.length < CUT ? seam : chunk).subarray(-CUT));
    return this.frames <= most;
  }

  private count(bytes: Uint8Array, mark: Buffer, most: number): void {
    const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = searched.indexOf(mark);
    while (at >= 0 && this.frames <= most) {
      this.frames++;
      at = searched.indexOf(mark, at + mark.length);
    }
  }
}
