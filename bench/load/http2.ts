import { type Connection, connect, SocketConnection, type Target } from "./connection.ts";

/** Frame types and flags of RFC 9113 section 6, as far as they are needed. */
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;
const ACK = 1;
const END_STREAM = 1;
const END_HEADERS = 4;

const MAX_WINDOW = 2 ** 31 - 1;
const DEFAULT_WINDOW = 65_535;
const EMPTY = Buffer.alloc(0);

/** Opens a connection that speaks HTTP/2 without TLS: as little work as will do. Its windows are never used up. */
export async function connectHttp2(target: Target): Promise<Connection> {
  const socket = await connect(target.port);
  const block = headerBlock(target);
  socket.write(preface());
  let stream = -1;
  let received: Buffer = EMPTY;
  let body: Buffer[] = [];

  const take = ({ type, flags, streamId, payload }: Frame): Buffer | undefined => {
    const acknowledges = (flags & ACK) !== 0;
    if (type === SETTINGS && !acknowledges) socket.write(frame(SETTINGS, ACK, 0, EMPTY));
    if (type === PING && !acknowledges) socket.write(frame(PING, ACK, 0, payload));
    if (type === GOAWAY || type === RST_STREAM) throw new Error("the server ended the stream");
    if (streamId !== stream) return undefined;
    if (type === DATA) body.push(payload);
    if ((type !== DATA && type !== HEADERS) || (flags & END_STREAM) === 0) return undefined;
    const whole = Buffer.concat(body);
    body = [];
    return whole;
  };
  const request = () => {
    stream += 2;
    return Buffer.concat([
      frame(HEADERS, END_HEADERS, stream, block),
      frame(DATA, END_STREAM, stream, target.body),
    ]);
  };
  return new SocketConnection(socket, request, (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    let response: Buffer | undefined;
    for (let next = readFrame(received); next !== undefined; next = readFrame(received)) {
      received = received.subarray(next.size);
      response = take(next) ?? response;
    }
    return response;
  });
}

/** Says that responses need not be compressed by a table, and may be of any size. */
function preface(): Buffer {
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

/** Header fields without compression: literals that are not indexed (RFC 7541 section 6.2.2). */
function headerBlock({ method, port, path, headers }: Target): Buffer {
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

function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** A frame of HTTP/2. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
  /** Bytes with the head. */
  readonly size: number;
}

/** Reads the first frame (RFC 9113 section 4.1); undefined while it is not complete. */
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
