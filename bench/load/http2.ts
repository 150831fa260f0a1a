import { type Connection, connect, SocketConnection, type Target } from "./connection.ts";
import {
  ACK,
  DATA,
  EMPTY,
  END_HEADERS,
  END_STREAM,
  type Frame,
  frame,
  GOAWAY,
  HEADERS,
  PING,
  preface,
  RST_STREAM,
  readFrame,
  requestHeaders,
  SETTINGS,
} from "./http2-frames.ts";

/** Opens a connection that speaks HTTP/2 without TLS: as little work as will do. Its windows are never used up. */
export async function connectHttp2(target: Target): Promise<Connection> {
  const socket = await connect(target.port);
  const block = requestHeaders(target);
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
