import net from "node:net";

/** A request that is the same in each call. */
export interface Target {
  readonly protocol: "http1" | "http2";
  readonly port: number;
  readonly method: string;
  readonly path: string;
  /** Header fields with lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** A connection with one request in flight at a time. */
export interface Connection {
  /** Sends the request. Resolves with the response's body, and rejects without a response. */
  call(): Promise<Uint8Array>;
  /** Whether the server has kept the connection open. */
  readonly isOpen: boolean;
  close(): void;
}

/**
 * Processes received bytes. Returns the body of a response when the response is complete, and undefined
 * before.
 */
export type Receive = (chunk: Buffer) => Buffer | undefined;

/**
 * A connection over a socket. `request` returns the bytes of the next request, and `receive` reads its
 * response.
 */
export class SocketConnection implements Connection {
  private readonly socket: net.Socket;
  private readonly request: () => Buffer;
  private waiting: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;

  constructor(socket: net.Socket, request: () => Buffer, receive: Receive) {
    this.socket = socket;
    this.request = request;
    socket.on("data", (chunk) => {
      try {
        const body = receive(chunk);
        if (body !== undefined) this.settle()?.resolve(body);
      } catch (error) {
        this.fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.on("error", (error) => this.fail(error));
    socket.on("close", () => this.fail(new Error("the server closed the connection")));
  }

  call(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) {
        reject(new Error("the connection is closed"));
        return;
      }
      this.waiting = { resolve, reject };
      this.socket.write(this.request());
    });
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  close(): void {
    this.socket.destroy();
  }

  private settle() {
    const waiting = this.waiting;
    this.waiting = undefined;
    return waiting;
  }

  private fail(error: Error): void {
    this.socket.destroy();
    this.settle()?.reject(error);
  }
}

/** Connects to a port of this machine. */
export function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}
