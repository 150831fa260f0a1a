import type { Http2Session, ServerHttp2Session } from "node:http2";
import type { Callbacks } from "./callbacks.ts";

/**
 * The maximum number of HTTP/2 streams that open and close in one turn of the event loop; this many take
 * about 50 ms.
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

/** Counts a chunk of a request body. A peer can send each byte in a separate frame or chunk. */
export function countChunk(): void {
  for (const turns of OPEN) turns.count(1 / CHUNKS_PER_STREAM);
}

/**
 * Spreads the input of connections over turns of the event loop. In one turn, Node reads every connection
 * with input, and a single read can open or close all streams of a connection, or contain thousands of
 * chunks. After too many, no connection is read until the next turn. A connection with a request that has not
 * started is not read either, because Node would keep each chunk of its body as an object. Unread input stays
 * in system buffers, which slows down the sender. This applies only to HTTP/2: Node itself pauses and resumes
 * HTTP/1 connections.
 */
export class ReadTurns {
  private readonly callbacks: Pick<Callbacks, "soon">;
  /** The open HTTP/2 sessions. */
  readonly sessions = new Set<ServerHttp2Session>();
  private readonly stopped = new Set<ReadHandle>();
  /** The number of waiting requests, by the handle of their connection. */
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

  /** Counts streams that are opened or closed now. */
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
   * Stops reading a session while one of its requests waits.
   *
   * @returns a function that ends the wait of this request. It may be called more than once.
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

  /** Stops counting. */
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
    // one at a time, so that the streams of one connection are counted before the next connection is accepted
    for (const take of this.waiting.splice(0)) this.callbacks.soon(() => this.begin(take));
  }
}

/**
 * Returns the handle through which a session reads its connection. Node has no public way to pause such a
 * connection.
 */
function handleOf(session: Http2Session | undefined): ReadHandle | undefined {
  if (session === undefined || session.destroyed) return undefined;
  const handle: unknown = Reflect.get(session.socket, "_handle");
  return isReadHandle(handle) ? handle : undefined;
}

function isReadHandle(handle: unknown): handle is ReadHandle {
  return typeof handle === "object" && handle !== null && "readStop" in handle && "readStart" in handle;
}
