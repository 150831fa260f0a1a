/** Frame types and flags of RFC 9113 section 6 that the load generator uses. */
export const DATA = 0;
export const HEADERS = 1;
export const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
export const GOAWAY = 7;
const WINDOW_UPDATE = 8;
const ACK = 1;
export const END_STREAM = 1;
export const END_HEADERS = 4;

const MAX_WINDOW = 2 ** 31 - 1;
const DEFAULT_WINDOW = 65_535;
/** An empty buffer. */
export const EMPTY = Buffer.alloc(0);

/** Returns the client preface, with settings that allow responses of any size and disable the HPACK table. */
export function preface(): Buffer {
  const settings = Buffer.alloc(12);
  settings.writeUInt16BE(1, 0); // SETTINGS_HEADER_TABLE_SIZE 0
  settings.writeUInt16BE(4, 6); // SETTINGS_INITIAL_WINDOW_SIZE
  settings.writeUInt32BE(MAX_WINDOW, 8);
  const window = Buffer.alloc(4);
  window.writeUInt32BE(MAX_WINDOW - DEFAULT_WINDOW);
  return Buffer.concat([
    Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    frame(SETTINGS, 0, 0, settings),
    frame(WINDOW_UPDATE, 0, 0, window),
  ]);
}

/** The headers of a request. */
interface RequestHead {
  readonly method: string;
  readonly port: number;
  readonly path: string;
  readonly headers: ReadonlyArray<readonly [string, string]>;
}

/** Encodes header fields without compression, as literals without indexing (RFC 7541 section 6.2.2). */
export function requestHeaders({ method, port, path, headers }: RequestHead): Buffer {
  const fields: readonly (readonly [string, string])[] = [
    [":method", method],
    [":scheme", "http"],
    [":authority", `127.0.0.1:${port}`],
    [":path", path],
    ...headers,
  ];
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  if (text.length > 126) throw new Error(`expected a header of at most 126 characters, got ${text.length}`);
  return Buffer.concat([Buffer.of(text.length), Buffer.from(text, "latin1")]);
}

/** Returns the bytes of a frame (RFC 9113 section 4.1). */
export function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** An HTTP/2 frame. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
  /** The size of the frame in bytes, including its header. */
  readonly size: number;
}

/** Reads frames from chunks. */
export class FrameReader {
  private received: Buffer = EMPTY;

  /** Calls `take` with each frame that a chunk completes. */
  push(chunk: Buffer, take: (frame: Frame) => void): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    for (let next = readFrame(this.received); next !== undefined; next = readFrame(this.received)) {
      this.received = this.received.subarray(next.size);
      take(next);
    }
  }
}

/** Returns the acknowledgement of a settings frame or a ping (RFC 9113 sections 6.5.3 and 6.7). */
export function acknowledgement({ type, flags, payload }: Frame): Buffer | undefined {
  if ((type !== SETTINGS && type !== PING) || (flags & ACK) !== 0) return undefined;
  return frame(type, ACK, 0, type === PING ? payload : EMPTY);
}

/** Reads the first frame (RFC 9113 section 4.1). Returns undefined while the frame is incomplete. */
export function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 9) return undefined;
  const size = 9 + bytes.readUIntBE(0, 3);
  if (bytes.length < size) return undefined;
  return {
    type: bytes.readUInt8(3),
    flags: bytes.readUInt8(4),
    streamId: bytes.readUInt32BE(5) & MAX_WINDOW,
    payload: bytes.subarray(9, size),
    size,
  };
}
