import type { Http2Session, ServerHttp2Session } from "node:http2";
import type { Callbacks } from "./callbacks.ts";

/**
 * The number of HTTP/2 streams that may open and close in one turn of the event loop, which takes about 50
 * ms.
 */
export const STREAMS_PER_TURN = 400;

/** The number of chunks of request bodies that take as long as one stream. */
const CHUNKS_PER_STREAM = 12;

/** The handle through which Node reads a connection. */
interface ReadHandle {
  readStop(): void;
  readStart(): void;
}

const OPEN = new Set<ReadTurns>();

/** Counts a chunk of a request body. A peer can send each byte in its own frame or chunk. */
export function countChunk(): void {
  for (const turns of OPEN) turns.count(1 / CHUNKS_PER_STREAM);
}

/**
 * Spreads the input of connections over turns of the event loop. In one turn, Node reads every connection
 * with input, and a single read can open or close all streams of a connection, or bring thousands of chunks.
 * After too many, no connection is read before the next turn. A connection with a request that has not begun
 * is not read either: Node would keep each chunk of its body as an object. Unread input stays in system
 * buffers, which slows down the sender. All of this concerns HTTP/2: Node itself pauses and resumes HTTP/1.
 */
export class ReadTurns {
  private readonly callbacks: Pick<Callbacks, "soon">;
  /** The open sessions of HTTP/2. */
  readonly sessions = new Set<ServerHttp2Session>();
  private readonly stopped = new Set<ReadHandle>();
  /** By the handle of a connection, the number of its requests that wait. */
  private readonly held = new Map<ReadHandle, number>();
  private readonly waiting: (() => void)[] = [];
  private inTurn = 0;

  constructor(callbacks: Pick<Callbacks, "soon">) {
    this.callbacks = callbacks;
    OPEN.add(this);
  }

  addSession(session: ServerHttp2Session, callbacks: Pick<Callbacks, "once">): void {
    this.sessions.add(session);
    callbacks.once(session, "close", () => this.sessions.delete(session));
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

  /**
   * Does not read a session while one of its requests waits.
   *
   * @returns ends the wait of this request. It may be called more than once.
   */
  hold(session: Http2Session | undefined): () => void {
    const handle = handleOf(session);
    if (handle === undefined) return () => undefined;
    this.held.set(handle, (this.held.get(handle) ?? 0) + 1);
    handle.readStop();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.held.get(handle) ?? 0) - 1;
      if (left > 0) {
        this.held.set(handle, left);
        return;
      }
      this.held.delete(handle);
      if (!this.stopped.has(handle)) handle.readStart();
    };
  }

  /** Counts nothing from now on. */
  close(): void {
    OPEN.delete(this);
  }

  private stop(): void {
    for (const session of this.sessions) {
      const handle = handleOf(session);
      handle?.readStop();
      if (handle !== undefined) this.stopped.add(handle);
    }
  }

  private next(): void {
    this.inTurn = 0;
    const stopped = [...this.stopped];
    this.stopped.clear();
    for (const handle of stopped) if (!this.held.has(handle)) handle.readStart();
    // one at a time: the streams of one connection are counted before the next one
    for (const take of this.waiting.splice(0)) this.callbacks.soon(() => this.begin(take));
  }
}

/** Node has no public way to pause a connection that its session reads directly. */
function handleOf(session: Http2Session | undefined): ReadHandle | undefined {
  if (session === undefined || session.destroyed) return undefined;
  const handle: unknown = Reflect.get(session.socket, "_handle");
  return isReadHandle(handle) ? handle : undefined;
}

function isReadHandle(handle: unknown): handle is ReadHandle {
  return typeof handle === "object" && handle !== null && "readStop" in handle && "readStart" in handle;
}
