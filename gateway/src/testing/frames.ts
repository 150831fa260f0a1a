/** The first bytes that an HTTP/2 client sends (RFC 9113 section 3.4). */
export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Frame types (RFC 9113 section 6). */
export const type = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
};
export const END_STREAM = 1;
export const END_HEADERS = 4;
export const PADDED = 8;
export const WITH_PRIORITY = 0x20;

/** Returns a frame (RFC 9113 section 4.1). The given length may be wrong. */
export function frame(
  kind: number,
  flags: number,
  stream: number,
  payload: Uint8Array | number[] = [],
  length?: number,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length ?? payload.length, 0, 3);
  head.writeUInt8(kind, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** Encodes a header list as literals that are neither indexed nor compressed (RFC 7541 section 6.2.2). */
export function block(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    headers.map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
  );
}

/** Encodes a string of a header list without compression. */
export function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest: number[] = [];
  let left = bytes.length - 127;
  for (; left >= 128; left >>= 7) rest.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([127, ...rest, left]), bytes]);
}

/** The headers of a bidirectional gRPC stream. */
export const TALK = block([
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/echo.v1.EchoService/Talk"],
  [":authority", "a"],
  ["content-type", "application/grpc"],
]);
