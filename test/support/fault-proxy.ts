import { once } from "node:events";
import net, { type AddressInfo } from "node:net";

/**
 * A fault in the responses of connections through the proxy. Sizes count the bytes of a response, including
 * the headers.
 */
export type ConnectionFault =
  /** Delays every chunk of a response. */
  | { readonly kind: "latency"; readonly ms: number }
  /** Splits a response into chunks of this size, one per `everyMs`. */
  | { readonly kind: "bandwidth"; readonly bytes: number; readonly everyMs: number }
  /** Resets the connection after this many bytes. */
  | { readonly kind: "reset"; readonly afterBytes: number }
  /** Closes the connection gracefully after this many bytes. */
  | { readonly kind: "truncation"; readonly afterBytes: number }
  /** Half-closes the connection after this many bytes, and continues to read. */
  | { readonly kind: "half-close"; readonly afterBytes: number }
  /** Sends nothing after this many bytes, and keeps the connection open. */
  | { readonly kind: "black hole"; readonly afterBytes: number }
  /** Sends these bytes instead of the response. */
  | { readonly kind: "garbage"; readonly bytes: string }
  /** Inserts these bytes into the response after this many bytes. */
  | { readonly kind: "noise"; readonly afterBytes: number; readonly bytes: string };

type PlacedFault = Extract<ConnectionFault, { readonly afterBytes: number }>;

/**
 * A TCP proxy on a free port of 127.0.0.1 that injects faults. A new fault applies to all connections from
 * their next request, including connections that are already open.
 */
export class FaultProxy {
  /** The port of the upstream. */
  target = 0;
  fault: ConnectionFault | undefined;
  private readonly server = net.createServer({ allowHalfOpen: true }, (client) => this.connect(client));
  private readonly sockets = new Set<net.Socket>();

  static async start(): Promise<FaultProxy> {
    const proxy = new FaultProxy();
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * Drops all connections and accepts new ones. Resolves after peers in this process have noticed the loss.
   */
  async drop(): Promise<void> {
    const open = [...this.sockets];
    for (const socket of open) socket.destroy();
    await Promise.all(open.map((socket) => socket.closed || once(socket, "close")));
    // The next event-loop turn reads the events that the kernel has now, and the turn after it handles them.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    await this.drop();
    await closed;
  }

  private connect(client: net.Socket): void {
    const upstream = net.connect({ port: this.target, host: "127.0.0.1" });
    const answer = new Answer(client);
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk) => {
      answer.begin(this.fault);
      upstream.write(chunk);
    });
    client.on("end", () => upstream.end());
    upstream.on("data", (chunk) => answer.pass(chunk));
    upstream.on("end", () => answer.end());
  }
}

/** Forwards the responses of one connection in order. */
class Answer {
  private readonly client: net.Socket;
  private fault: ConnectionFault | undefined;
  private passed = 0;
  private isOver = false;
  /** Runs delayed writes in order. */
  private last: Promise<void> = Promise.resolve();

  constructor(client: net.Socket) {
    this.client = client;
  }

  begin(fault: ConnectionFault | undefined): void {
    this.fault = fault;
    this.passed = 0;
    if (fault?.kind === "garbage") this.client.write(Buffer.from(fault.bytes, "latin1"));
  }

  pass(chunk: Buffer): void {
    const { fault } = this;
    if (this.isOver || fault?.kind === "garbage") return;
    if (fault === undefined) {
      this.client.write(chunk);
    } else if (fault.kind === "latency") {
      this.later(fault.ms, chunk);
    } else if (fault.kind === "bandwidth") {
      this.inPieces(fault.bytes, fault.everyMs, chunk);
    } else {
      this.spoil(fault, chunk);
    }
  }

  end(): void {
    this.last = this.last.then(() => {
      if (!this.isOver) this.client.end();
    });
  }

  private later(ms: number, chunk: Buffer): void {
    this.last = this.last.then(
      () =>
        new Promise((resolve) => {
          setTimeout(() => {
            if (!this.client.destroyed) this.client.write(chunk);
            resolve();
          }, ms);
        }),
    );
  }

  private inPieces(bytes: number, everyMs: number, chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at += bytes) this.later(everyMs, chunk.subarray(at, at + bytes));
  }

  private spoil(fault: PlacedFault, chunk: Buffer): void {
    const before = this.passed;
    this.passed += chunk.length;
    const own = Math.max(0, fault.afterBytes - before);
    if (own > 0) this.client.write(chunk.subarray(0, own));
    if (before <= fault.afterBytes && this.passed > fault.afterBytes) this.strike(fault);
    if (fault.kind === "noise" && chunk.length > own) this.client.write(chunk.subarray(own));
  }

  /** Applies the fault at its position. */
  private strike(fault: PlacedFault): void {
    this.isOver = fault.kind !== "noise";
    if (fault.kind === "reset") {
      this.client.resetAndDestroy();
    } else if (fault.kind === "truncation") {
      this.client.destroySoon();
    } else if (fault.kind === "half-close") {
      this.client.end();
    } else if (fault.kind === "noise") this.client.write(Buffer.from(fault.bytes, "latin1"));
  }
}
