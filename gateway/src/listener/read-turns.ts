import type { Http2Session, ServerHttp2Session } from "node:http2";
import { Duplex } from "node:stream";
import type { Callbacks } from "./callbacks.ts";
import { type HttpRequest, isHttp2 } from "./http.ts";
import { Http1Handle } from "./http1-handle.ts";

/**
 * The maximum number of HTTP/2 streams that open and close in one event-loop turn; this number of streams
 * takes about 50 ms.
 */
export const STREAMS_PER_TURN = 400;

/**
 * The maximum number of request body chunks in one event-loop turn, unless streams open too. These chunks
 * take only about 10 ms, because the read that contains the last of them may contain 10,900 more chunks,
 * which take about 50 ms.
 */
export const CHUNKS_PER_TURN = 2400;

const CHUNKS_PER_STREAM = CHUNKS_PER_TURN / STREAMS_PER_TURN;

/** The number of lines of a large request head. */
export const HEAD_LINES = 100;

/** The number of HTTP/1 requests that take as long as one stream. */
const REQUESTS_PER_STREAM = 2;

/** How long nothing is read from a client whose chunks took most of a turn, in milliseconds. */
const REST_MS = 100;

/** The handle through which Node reads a connection. */
interface ReadHandle {
  readStop(): void;
  readStart(): void;
}

/** A new connection that is not served yet. */
interface Waiting {
  readonly socket: Duplex;
  readonly address: string;
  readonly take: () => void;
}

const OPEN = new Set<ReadTurns>();

/**
 * Counts a chunk of a request body. A peer can send each byte in a separate frame or chunk.
 *
 * @param isUseful whether the chunk may be a whole message; if so, its client need not rest
 */
export function countChunk(request: HttpRequest, isUseful = false): void {
  for (const turns of OPEN) turns.countChunk(request, isUseful);
}

/**
 * Spreads the input of connections over event-loop turns. In one turn, Node reads every connection with
 * input, and a single read can yield hundreds of requests or thousands of chunks. Once a turn has too many of
 * them, no connection is read before the next turn. A client whose chunks took most of a turn rests: a single
 * read can take tens of milliseconds, and other clients would have to wait for many such reads. A session
 * with a request that waits to be started is not read either: Node would keep each chunk of its body as an
 * object. Unread input stays in system buffers, which slows down the sender.
 */
export class ReadTurns {
  private readonly callbacks: Pick<Callbacks, "soon" | "after">;
  /** The open HTTP/2 sessions. */
  readonly sessions = new Set<ServerHttp2Session>();
  private readonly http1 = new Map<Duplex, Http1Handle>();
  private readonly stopped = new Set<ReadHandle>();
  /**
   * The number of reasons not to read a connection, by its handle. A reason is a waiting request or a resting
   * client.
   */
  private readonly held = new Map<ReadHandle, number>();
  private readonly waiting: Waiting[] = [];
  private inTurn = 0;
  /** The number of chunks in this turn, by client. */
  private readonly chunks = new Map<string, number>();
  /** The number of chunks so far, by the handle of the connection. */
  private readonly chunksRead = new WeakMap<ReadHandle, number>();
  /** Whether, after the next rest, new connections begin before open connections are read again. */
  private isNewFirst = false;
  private readonly resting = new Set<string>();
  private readonly isProxy: (address: string) => boolean;

  /** @param isProxy returns whether an address is a trusted proxy, whose connections carry many clients */
  constructor(callbacks: Pick<Callbacks, "soon" | "after">, isProxy: (address: string) => boolean) {
    this.callbacks = callbacks;
    this.isProxy = isProxy;
    OPEN.add(this);
  }

  addSession(session: ServerHttp2Session, callbacks: Pick<Callbacks, "once">): void {
    this.sessions.add(session);
    callbacks.once(session, "close", () => this.sessions.delete(session));
  }

  /** Adds an HTTP/1 connection that Node's server has already received. */
  addHttp1(socket: Duplex, callbacks: Pick<Callbacks, "on" | "once" | "next">): void {
    const handle = new Http1Handle(socket, callbacks);
    this.http1.set(socket, handle);
    callbacks.once(socket, "close", () => this.http1.delete(socket));
    if (this.isFull) this.stopHandle(handle);
  }

  /** Counts streams that open or close in this turn. */
  count(streams: number): void {
    const before = this.inTurn;
    if (before === 0 && streams > 0) this.callbacks.soon(() => this.next());
    this.inTurn += streams;
    if (before < STREAMS_PER_TURN && this.inTurn >= STREAMS_PER_TURN) this.stop();
  }

  /** Counts an HTTP/1 request. */
  countRequest(): void {
    this.count(1 / REQUESTS_PER_STREAM);
  }

  countChunk(request: HttpRequest, isUseful: boolean): void {
    const client = isUseful ? undefined : addressOf(request);
    if (client !== undefined) this.chunks.set(client, (this.chunks.get(client) ?? 0) + 1);
    const handle = isHttp2(request) ? handleOf(request.stream.session) : this.http1.get(request.socket);
    if (handle !== undefined) this.chunksRead.set(handle, (this.chunksRead.get(handle) ?? 0) + 1);
    this.count(1 / CHUNKS_PER_STREAM);
  }

  /**
   * Accepts a new connection, whose first requests may already have arrived: in this turn, in a later turn,
   * or once its client has rested.
   */
  begin(socket: Duplex, take: () => void): void {
    this.beginWaiting({ socket, address: addressOfSocket(socket), take });
  }

  /**
   * Stops reading a connection while one of its requests waits.
   *
   * @returns a function that ends the wait of this request. It may be called more than once.
   */
  hold(connection: Http2Session | Duplex | undefined): () => void {
    const handle = connection instanceof Duplex ? this.http1.get(connection) : handleOf(connection);
    return handle === undefined ? () => undefined : this.holdHandle(handle);
  }

  /** Stops counting. */
  close(): void {
    OPEN.delete(this);
  }

  private holdHandle(handle: ReadHandle): () => void {
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

  private beginWaiting(connection: Waiting): void {
    const { socket, address, take } = connection;
    if (this.isFull || (this.resting.has(address) && hasChunks(socket))) {
      this.waiting.push(connection);
    } else {
      this.countLines(connection);
      take();
    }
  }

  /**
   * Begins to serve connections one at a time: the streams of one connection are counted before the next
   * connection begins.
   */
  private beginAll(): void {
    for (const each of this.waiting.splice(0)) this.callbacks.soon(() => this.beginWaiting(each));
  }

  /**
   * Counts the chunks that have arrived on a new connection, because Node parses all of them before it
   * reports the first one. Each chunk has two lines. The first `HEAD_LINES` lines may be the head of a
   * request.
   */
  private countLines({ socket, address }: Waiting): void {
    const chunks = Math.max(0, linesIn(socket) - HEAD_LINES) / 2;
    if (chunks === 0) return;
    this.chunks.set(address, (this.chunks.get(address) ?? 0) + chunks);
    this.count(chunks / CHUNKS_PER_STREAM);
  }

  private get isFull(): boolean {
    return this.inTurn >= STREAMS_PER_TURN;
  }

  private stop(): void {
    for (const { handle } of this.connections()) this.stopHandle(handle);
  }

  private stopHandle(handle: ReadHandle): void {
    handle.readStop();
    this.stopped.add(handle);
  }

  private next(): void {
    const wasFull = this.isFull;
    this.inTurn = 0;
    const most = CHUNKS_PER_TURN / 2;
    for (const [client, chunks] of this.chunks) if (wasFull && chunks >= most) this.rest(client);
    const stopped = this.fewestChunksFirst([...this.stopped]);
    this.chunks.clear();
    this.stopped.clear();
    for (const handle of stopped) if (!this.held.has(handle)) handle.readStart();
    this.beginAll();
  }

  /**
   * Pauses reading from all connections of a client for a while. A flood can fill each turn after the rest,
   * with its open connections or with the first chunks of new ones. Therefore the two take turns at coming
   * first.
   */
  private rest(client: string): void {
    if (this.resting.has(client) || this.isProxy(client)) return;
    this.resting.add(client);
    const own = [...this.connections()].filter(({ address }) => address === client);
    const handles = this.fewestChunksFirst(own.map(({ handle }) => handle));
    const releases = handles.map((handle) => this.holdHandle(handle));
    this.callbacks.after(REST_MS, () => {
      this.resting.delete(client);
      const read = () => {
        for (const release of releases) release();
      };
      const begin = () => this.beginAll();
      const [first, second] = this.isNewFirst ? [begin, read] : [read, begin];
      this.isNewFirst = !this.isNewFirst;
      first();
      this.callbacks.soon(second);
    });
  }

  /**
   * Orders connections by their number of chunks so far. Node reads connections in the order in which
   * reading starts, and the first ones can fill a turn: a flood on one connection must not keep the other
   * connections of its address from being read.
   */
  private fewestChunksFirst(handles: readonly ReadHandle[]): ReadHandle[] {
    const chunks = (handle: ReadHandle) => this.chunksRead.get(handle) ?? 0;
    return handles.toSorted((one, other) => chunks(one) - chunks(other));
  }

  private *connections(): Generator<{ readonly handle: ReadHandle; readonly address: string }> {
    for (const session of this.sessions) {
      const handle = handleOf(session);
      if (handle !== undefined) yield { handle, address: addressOfSocket(session.socket) };
    }
    for (const [socket, handle] of this.http1) yield { handle, address: addressOfSocket(socket) };
  }
}

const LINE_END = 0x0a;

/** Reports whether more lines have arrived on a new connection than a request head has. */
function hasChunks(socket: Duplex): boolean {
  return linesIn(socket, HEAD_LINES + 1) > HEAD_LINES;
}

/** Counts the lines that have arrived on a new connection, up to `most`. */
function linesIn(socket: Duplex, most = Number.POSITIVE_INFINITY): number {
  let lines = 0;
  for (const bytes of arrivedOn(socket)) {
    let at = bytes.indexOf(LINE_END);
    while (at !== -1 && lines < most) {
      lines += 1;
      at = bytes.indexOf(LINE_END, at + 1);
    }
  }
  return lines;
}

/**
 * Returns the bytes that have arrived on a new connection. They stay unread: `read` would also make Node
 * receive more bytes, so that each look at a waiting connection would add to them.
 */
function arrivedOn(socket: Duplex): readonly Uint8Array[] {
  const chunks: unknown = Reflect.get(socket, "readableBuffer");
  return Array.isArray(chunks) ? chunks.filter((chunk) => chunk instanceof Uint8Array) : [];
}

function addressOf(request: HttpRequest): string {
  const socket = isHttp2(request) ? request.stream.session?.socket : request.socket;
  return socket === undefined ? "" : addressOfSocket(socket);
}

function addressOfSocket(socket: Duplex): string {
  return "remoteAddress" in socket ? String(socket.remoteAddress) : "";
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
