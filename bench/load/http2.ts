import { type Connection, connect, SocketConnection, type Target } from "./connection.ts";
import {
  acknowledgement,
  DATA,
  END_HEADERS,
  END_STREAM,
  type Frame,
  FrameReader,
  frame,
  GOAWAY,
  HEADERS,
  preface,
  RST_STREAM,
  requestHeaders,
} from "./http2-frames.ts";

/** Opens an HTTP/2 connection without TLS, with minimal client work and windows that are never exhausted. */
export async function connectHttp2(target: Target): Promise<Connection> {
  const socket = await connect(target.port);
  const block = requestHeaders(target);
  socket.write(preface());
  let stream = -1;
  const frames = new FrameReader();
  let body: Buffer[] = [];

  const take = (received: Frame): Buffer | undefined => {
    const { type, flags, streamId, payload } = received;
    const back = acknowledgement(received);
    if (back !== undefined) socket.write(back);
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
    let response: Buffer | undefined;
    frames.push(chunk, (received) => {
      response = take(received) ?? response;
    });
    return response;
  });
}
