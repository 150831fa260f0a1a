import { connect, type Socket } from "node:net";
import {
  acknowledgement,
  DATA,
  EMPTY,
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
} from "../load/http2-frames.ts";

/** The default maximum number of streams per connection. */
const STREAMS = 100;

/** Receives a message of a stream: a gRPC envelope without its header. */
export type OnMessage = (stream: string, message: Buffer) => void;

/** Returns the request of a stream by the number of the stream. */
type BodyOf = (index: number) => Uint8Array;

/** Streams that watch a feed, over as few connections as possible. */
export class Watchers {
  /** The number of messages on all streams. */
  messages = 0;
  /** The time of the last message, on the scale of `performance.now()`. */
  lastAt = 0;
  /** The number of streams that have ended. */
  ended = 0;
  private readonly sockets: Socket[] = [];
  private readonly onMessage: OnMessage;
  private reached: { readonly messages: number; readonly resolve: () => void } | undefined;

  constructor(onMessage: OnMessage = () => undefined) {
    this.onMessage = onMessage;
  }

  /** Opens streams from these addresses in turn. Each stream sends one request and reads all messages. */
  async open(
    port: number,
    path: string,
    body: Uint8Array | BodyOf,
    count: number,
    addresses: readonly string[] = ["127.0.0.1"],
  ): Promise<void> {
    for (let opened = 0; opened < count; opened += STREAMS) {
      const localAddress = addresses[(opened / STREAMS) % addresses.length] ?? "127.0.0.1";
      const from = { port, host: "127.0.0.1", localAddress };
      const bodyOf = typeof body === "function" ? body : () => body;
      await this.connection(from, path, bodyOf, Math.min(STREAMS, count - opened), opened);
    }
  }

  /** Resolves when all streams together have received this many messages. */
  until(messages: number): Promise<void> {
    if (this.messages >= messages) return Promise.resolve();
    return new Promise((resolve) => {
      this.reached = { messages, resolve };
    });
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private connection(
    from: { readonly port: number; readonly host: string; readonly localAddress: string },
    path: string,
    bodyOf: BodyOf,
    streams: number,
    first: number,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(from, () => {
        const block = requestHeaders({ method: "POST", port: from.port, path, headers: GRPC });
        const requests = Array.from({ length: streams }, (_, index) => [
          frame(HEADERS, END_HEADERS, 2 * index + 1, block),
          frame(DATA, END_STREAM, 2 * index + 1, bodyOf(first + index)),
        ]);
        socket.write(Buffer.concat([preface(), ...requests.flat()]));
        resolve();
      });
      socket.setNoDelay(true).on("error", reject);
      this.sockets.push(socket);
      this.read(socket, first);
    });
  }

  private read(socket: Socket, first: number): void {
    const frames = new FrameReader();
    const bodies = new Map<number, Buffer>();
    socket.on("data", (chunk: Buffer) => {
      frames.push(chunk, (received) => this.take(socket, received, bodies, first));
    });
  }

  private take(socket: Socket, received: Frame, bodies: Map<number, Buffer>, first: number) {
    const { type, flags, streamId, payload } = received;
    const back = acknowledgement(received);
    if (back !== undefined) socket.write(back);
    if (type === GOAWAY || type === RST_STREAM) this.ended += 1;
    if ((type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0) this.ended += 1;
    if (type !== DATA) return;
    let body = Buffer.concat([bodies.get(streamId) ?? EMPTY, payload]);
    while (body.length >= 5 && body.length >= 5 + body.readUInt32BE(1)) {
      const size = 5 + body.readUInt32BE(1);
      this.arrived(`${first}/${streamId}`, body.subarray(5, size));
      body = body.subarray(size);
    }
    bodies.set(streamId, body);
  }

  private arrived(stream: string, message: Buffer): void {
    this.messages += 1;
    this.lastAt = performance.now();
    this.onMessage(stream, message);
    if (this.reached === undefined || this.messages < this.reached.messages) return;
    const { resolve } = this.reached;
    this.reached = undefined;
    resolve();
  }
}

const GRPC = [
  ["content-type", "application/grpc"],
  ["te", "trailers"],
] as const;
