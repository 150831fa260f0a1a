/** As many frames a body may have, however short it is; and one more for each of so many bytes. */
const FREE_FRAMES = 16;
const BYTES_PER_FRAME = 4 * 1024;

const GZIP = [Buffer.of(0x1f, 0x8b, 0x08)];

/**
 * Bytes with which every frame of zstd, skippable or not (RFC 8878 section 3), and every member of gzip (RFC
 * 1952 section 2.3) begins, but for the first byte of a frame. Bodies in other codings are one stream.
 */
const MARKS: ReadonlyMap<string, readonly Buffer[]> = new Map([
  ["gzip", GZIP],
  ["x-gzip", GZIP],
  ["zstd", [Buffer.of(0xb5, 0x2f, 0xfd), Buffer.of(0x2a, 0x4d, 0x18)]],
]);
/** Bytes of a mark that can stand at the end of a chunk, the rest of it in the next one. */
const CUT = 2;

/**
 * Counts the frames that a compressed body may have, before it is decompressed: each frame of zstd takes a
 * decoder of its own, so that a few kilobytes of empty ones take as long as megabytes of text. It counts
 * what looks like the beginning of one, which other bytes do once in 16 megabytes.
 */
export class FrameCount {
  private readonly marks: readonly Buffer[];
  private bytes = 0;
  private frames = 0;
  private end: Uint8Array = new Uint8Array();

  constructor(coding: string) {
    this.marks = MARKS.get(coding) ?? [];
  }

  /** Whether the body has as many frames as it may have, the next chunk included. */
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
