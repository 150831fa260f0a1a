import type { ServerHttp2Session } from "node:http2";
import type { Callbacks } from "./callbacks.ts";

/**
 * The number of HTTP/2 streams that may open and close in one turn of the event loop, which takes about 50
 * ms.
 */
export const STREAMS_PER_TURN = 400;

/** The handle through which Node reads a connection. */
interface ReadHandle {
  readStop(): void;
  readStart(): void;
}

/**
 * Spreads the input of connections over turns of the event loop. In one turn, Node reads every connection
 * with input, and a single read can open or close all streams of a connection. After too many streams, no
 * connection is read before the next turn. Unread input stays in system buffers, which slows down the sender.
 */
export class ReadTurns {
  private readonly sessions: Iterable<ServerHttp2Session>;
  private readonly callbacks: Pick<Callbacks, "soon">;
  private readonly stopped: ReadHandle[] = [];
  private readonly waiting: (() => void)[] = [];
  private inTurn = 0;

  constructor(sessions: Iterable<ServerHttp2Session>, callbacks: Pick<Callbacks, "soon">) {
    this.sessions = sessions;
    this.callbacks = callbacks;
  }

  /** Counts streams that open or close now. */
  count(streams: number): void {
    const before = this.inTurn;
    if (before === 0 && streams > 0) this.callbacks.soon(() => this.next());
    this.inTurn += streams;
    if (before < STREAMS_PER_TURN && this.inTurn >= STREAMS_PER_TURN) this.stop();
  }

  /** Accepts a new connection, whose first streams may have arrived, now or in a later turn. */
  begin(take: () => void): void {
    if (this.inTurn < STREAMS_PER_TURN) {
      take();
    } else {
      this.waiting.push(take);
    }
  }

  private stop(): void {
    for (const session of this.sessions) {
      const handle = session.destroyed ? undefined : handleOf(session);
      if (handle === undefined) continue;
      handle.readStop();
      this.stopped.push(handle);
    }
  }

  private next(): void {
    this.inTurn = 0;
    for (const handle of this.stopped.splice(0)) handle.readStart();
    // one at a time: the streams of one connection are counted before the next one
    for (const take of this.waiting.splice(0)) this.callbacks.soon(() => this.begin(take));
  }
}

/** Node has no public way to pause a connection that its session reads directly. */
function handleOf({ socket }: ServerHttp2Session): ReadHandle | undefined {
  const handle: unknown = Reflect.get(socket, "_handle");
  return isReadHandle(handle) ? handle : undefined;
}

function isReadHandle(handle: unknown): handle is ReadHandle {
  return typeof handle === "object" && handle !== null && "readStop" in handle && "readStart" in handle;
}
