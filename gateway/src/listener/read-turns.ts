import type { ServerHttp2Session } from "node:http2";
import type { Callbacks } from "./callbacks.ts";

/** How many streams of HTTP/2 may open and close in a turn of the event loop, which takes some 50 ms for it. */
export const STREAMS_PER_TURN = 400;

/** What Node reads a connection with. */
interface ReadHandle {
  readStop(): void;
  readStart(): void;
}

/**
 * Spreads what connections bring over turns of the event loop. In one turn Node reads all that have
 * something, and a read can open or close all streams of its connection: after many, no connection is read
 * before the next turn. What waits is in the buffers of the system, and holds its sender back.
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

  /** Counts streams that have opened or close now. */
  count(streams: number): void {
    const before = this.inTurn;
    if (before === 0 && streams > 0) this.callbacks.soon(() => this.next());
    this.inTurn += streams;
    if (before < STREAMS_PER_TURN && this.inTurn >= STREAMS_PER_TURN) this.stop();
  }

  /** Takes a new connection, whose first streams have come already, now or in a later turn. */
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
    // each on its own: what one brings is counted before the next one
    for (const take of this.waiting.splice(0)) this.callbacks.soon(() => this.begin(take));
  }
}

/** Node has no other way to hold a connection back whose session reads it by itself. */
function handleOf({ socket }: ServerHttp2Session): ReadHandle | undefined {
  const handle: unknown = Reflect.get(socket, "_handle");
  return isReadHandle(handle) ? handle : undefined;
}

function isReadHandle(handle: unknown): handle is ReadHandle {
  return typeof handle === "object" && handle !== null && "readStop" in handle && "readStart" in handle;
}
