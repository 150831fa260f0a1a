import net from "node:net";
import {
  acknowledgement,
  DATA,
  END_STREAM,
  FrameReader,
  HEADERS,
  preface,
  RST_STREAM,
} from "../load/http2-frames.ts";

/** The time before an attacker reconnects, in milliseconds. */
const AGAIN_MS = 10;

/** The frames that a session sends. Only the stream ids are filled in later. */
export interface RawRequests {
  /** Returns the frames of a request; the first request of a session may fill the HPACK table. */
  readonly request: (stream: number, isFirst: boolean) => Buffer;
  /** The number of concurrent requests. Default: as many as the socket accepts. */
  readonly atOnce?: number;
}

/** Sends HTTP/2 requests endlessly, and reconnects whenever the session is closed. */
export function floodBySession(port: number, requests: RawRequests, did: (count: number) => void): void {
  const { request, atOnce } = requests;
  const socket = net.connect(port, "127.0.0.1");
  let next = 1;
  let running = 0;
  const send = () => {
    const count = (atOnce ?? 100) - running;
    const frames = Array.from({ length: count }, (_, index) => request(next + 2 * index, next + index === 1));
    next += 2 * count;
    running += atOnce === undefined ? 0 : count;
    did(count);
    if (socket.write(Buffer.concat(frames)) && atOnce === undefined) setImmediate(again);
  };
  const again = () => {
    if (!socket.destroyed) send();
  };
  const frames = new FrameReader();
  socket.on("data", (chunk: Buffer) => {
    frames.push(chunk, (received) => {
      const back = acknowledgement(received);
      if (back !== undefined) socket.write(back);
      const isEnd = (received.type === DATA || received.type === HEADERS) && received.flags & END_STREAM;
      if (isEnd || received.type === RST_STREAM) running -= 1;
    });
    if (atOnce !== undefined && running <= atOnce / 2) again();
  });
  if (atOnce === undefined) socket.on("drain", again);
  socket.on("error", () => undefined);
  socket.on("close", () => setTimeout(floodBySession, AGAIN_MS, port, requests, did));
  socket.once("connect", () => {
    socket.write(preface());
    send();
  });
}
