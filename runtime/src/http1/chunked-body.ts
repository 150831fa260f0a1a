import { readFields } from "./response-head.ts";

/** Thrown if a chunked body is malformed or its trailers are too large. */
export class BadChunks extends Error {
  readonly code: "HPE_INVALID_CHUNK_SIZE" | "HPE_HEADER_OVERFLOW";

  constructor(code: BadChunks["code"]) {
    super("chunks that are not those of HTTP/1.1");
    this.name = "HTTPParserError";
    this.code = code;
  }
}

/** The maximum number of hexadecimal digits in a chunk size that a JavaScript number represents exactly. */
const MAX_DIGITS = 12;

const [TAB, LF, CR, SPACE, SEMICOLON] = [9, 10, 13, 32, 59];

type State = "size" | "extension" | "sizeEnd" | "data" | "dataCr" | "dataLf" | "trailers" | "end";

/** Reads a chunked body (RFC 9112 section 7.1) in pieces of any size. Skips extensions and trailers. */
export class ChunkedBody {
  private readonly maxTrailerBytes: number;
  private state: State = "size";
  private digits = 0;
  /** The number of bytes that remain in the current chunk. */
  private size = 0;
  /** The received part of the lines after the last chunk. */
  private trailers: Buffer = Buffer.alloc(0);

  constructor(maxTrailerBytes: number) {
    this.maxTrailerBytes = maxTrailerBytes;
  }

  /** Whether the last chunk and the trailers have been read. */
  get isWhole(): boolean {
    return this.state === "end";
  }

  /**
   * Reads further bytes, at most to the end of the body.
   *
   * @param data called with the content of chunks, in parts of `bytes`
   * @returns the position of the first unread byte
   * @throws BadChunks
   */
  read(bytes: Buffer, from: number, data: (chunk: Buffer) => void): number {
    let at = from;
    while (at < bytes.length && this.state !== "end") {
      if (this.state === "data") {
        const end = Math.min(bytes.length, at + this.size);
        this.size -= end - at;
        if (this.size === 0) this.state = "dataCr";
        data(bytes.subarray(at, end));
        at = end;
      } else if (this.state === "trailers") {
        at = this.readTrailers(bytes, at);
      } else {
        this.readByte(bytes[at++] ?? 0);
      }
    }
    return at;
  }

  private readByte(byte: number): void {
    switch (this.state) {
      case "size":
        this.readSize(byte);
        return;
      case "extension":
        if (byte === CR) {
          this.state = "sizeEnd";
        } else if (byte !== TAB && (byte < SPACE || byte > 126)) {
          this.fail();
        }
        return;
      case "sizeEnd":
        if (byte !== LF) this.fail();
        this.digits = 0;
        this.state = this.size === 0 ? "trailers" : "data";
        return;
      case "dataCr":
        if (byte !== CR) this.fail();
        this.state = "dataLf";
        return;
      default:
        if (byte !== LF) this.fail();
        this.state = "size";
    }
  }

  private readSize(byte: number): void {
    const digit = digitOf(byte);
    if (digit >= 0) {
      if (++this.digits > MAX_DIGITS) this.fail();
      this.size = this.size * 16 + digit;
      return;
    }
    if (this.digits === 0) this.fail();
    if (byte === CR) {
      this.state = "sizeEnd";
    } else if (byte === SEMICOLON) {
      this.state = "extension";
    } else {
      this.fail();
    }
  }

  /**
   * Parses the trailers once all of them have arrived. Trailers are short and rare, so this is fast enough.
   */
  private readTrailers(bytes: Buffer, from: number): number {
    const before = this.trailers.length;
    const all = before === 0 ? bytes.subarray(from) : Buffer.concat([this.trailers, bytes.subarray(from)]);
    const end = endOfLines(all);
    if (end > this.maxTrailerBytes || (end < 0 && all.length > this.maxTrailerBytes)) {
      throw new BadChunks("HPE_HEADER_OVERFLOW");
    }
    if (end < 0) {
      this.trailers = Buffer.from(all);
      return bytes.length;
    }
    const fields = readFields(all, 0, end - 2);
    // a length in the trailers would contradict the body that was read
    if (fields === undefined || "content-length" in fields) this.fail();
    this.trailers = Buffer.alloc(0);
    this.state = "end";
    return from + end - before;
  }

  private fail(): never {
    throw new BadChunks("HPE_INVALID_CHUNK_SIZE");
  }
}

/** Returns the position after the first empty line, or -1 if there is none. */
function endOfLines(bytes: Buffer): number {
  if (bytes[0] === CR && bytes[1] === LF) return 2;
  const found = bytes.indexOf("\r\n\r\n");
  return found < 0 ? -1 : found + 4;
}

function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
