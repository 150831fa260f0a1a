import type { Duplex } from "node:stream";
import type { Callbacks } from "./callbacks.ts";

/**
 * Pauses an HTTP/1 connection. Node's server starts and stops reading a connection on the events `resume` and
 * `pause` of its socket, and resumes the socket whenever a body is read.
 */
export class Http1Handle {
  private readonly socket: Duplex;
  private readonly callbacks: Pick<Callbacks, "on" | "next">;
  private release: (() => void) | undefined;
  /** Whether Node reads the connection, or would read it if it were not paused here. */
  private isWanted = false;

  constructor(socket: Duplex, callbacks: Pick<Callbacks, "on" | "next">) {
    this.socket = socket;
    this.callbacks = callbacks;
  }

  readStop(): void {
    const { socket } = this;
    if (this.release !== undefined) return;
    this.isWanted = isRead(socket);
    // this listener is called after Node's own listener, which starts to read
    this.release = this.callbacks.on(socket, "resume", () => {
      this.isWanted = true;
      this.stop();
    });
    this.stop();
  }

  readStart(): void {
    this.release?.();
    this.release = undefined;
    if (this.isWanted && !this.socket.destroyed) this.socket.emit("resume");
  }

  private stop(): void {
    const { socket } = this;
    socket.emit("pause");
    // Node next delivers the bytes that arrived before it served the connection, and then reads again
    if (socket.readableLength === 0) return;
    this.callbacks.next(() => {
      if (this.release !== undefined) socket.emit("pause");
    });
  }
}

/** Node has no public property for this: `isPaused` describes a stream that the server bypasses. */
function isRead(socket: Duplex): boolean {
  const handle: unknown = Reflect.get(socket, "_handle");
  return typeof handle === "object" && handle !== null && "reading" in handle && handle.reading === true;
}
