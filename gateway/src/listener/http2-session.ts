import http2 from "node:http2";
import { clientTimeoutMs } from "../call/deadline.ts";
import type { Limits } from "../limits.ts";
import { Callbacks, sharedListener, type Timer } from "./callbacks.ts";
import { keepWhenDetached } from "./detach.ts";
import { type AttackReports, SessionAttack } from "./session-attack.ts";

/** How long a session may take to close. */
const CLOSE_GRACE_MS = 1000;

/** Who hears of what becomes of a session. */
export interface SessionReports extends AttackReports {
  readonly onError: (error: unknown) => void;
  /** Notified when a session ends because its peer violates the protocol. */
  readonly onViolation: () => void;
}

/** What is remembered of a stream until it ends. */
interface StreamRecord {
  readonly openedAt: number;
  readonly timeoutMs: number | undefined;
}

/** Where a stream has its record: a map of them would be one more thing that streams come into and leave. */
const RECORD = Symbol("record");

// names apart from the calls: they are not registered by Callbacks, but guarded all the same
const CLOSE = "close";
const TRAILERS = "trailers";
const END = "end";
const ERROR = "error";

/** Serves one HTTP/2 stream. */
export type OnStream = (
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void;

/**
 * Serves the streams of a session, and holds it to the limits that Node has no timer for: its first request
 * must be complete in `headersTimeoutMs`, it may be without a request for `idleTimeoutMs`, whatever bytes
 * trickle in meanwhile, its streams may not end in more resets than a `ResetBudget` has, nor its headers be
 * more than a `HeaderBudget` has. What a callback throws ends the session, or the stream that it is about.
 */
export function serveSession(
  session: http2.ServerHttp2Session,
  onStream: OnStream,
  limits: Limits,
  reports: SessionReports,
): void {
  const { onLimit, onError, onViolation, readTurns } = reports;
  const callbacks = new Callbacks((error) => {
    onError(error);
    session.destroy(new Error("a callback failed"), http2.constants.NGHTTP2_INTERNAL_ERROR);
  });
  const attack = new SessionAttack(session, limits, reports, callbacks);
  let invalidStreams = 0;
  spareForStreams(session, callbacks, () => invalidStreams);
  let open = 0;
  // Node closes all streams of a connection that ends, in a turn of their own.
  for (const ending of [END, ERROR]) callbacks.once(session.socket, ending, () => readTurns.count(open));
  let timer: Timer = callbacks.after(limits.headersTimeoutMs, () => {
    onLimit("headersTimeoutMs");
    closeSession(session, callbacks);
  });
  const failed = (stream: http2.ServerHttp2Stream, error: unknown) => {
    onError(error);
    stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  };
  const onClose = (stream: http2.ServerHttp2Stream) => {
    open -= 1;
    if (stream.rstCode === http2.constants.NGHTTP2_PROTOCOL_ERROR) invalidStreams += 1;
    const { openedAt, timeoutMs }: StreamRecord = Reflect.get(stream, RECORD);
    if (attack.isOver) return;
    const now = performance.now();
    if (wasReset(stream) && attack.resetAt(now, { ageMs: now - openedAt, timeoutMs })) return;
    if (open === 0) {
      // After a peer's GOAWAY it is closed already, and yet would stay as long as the peer likes.
      const idleMs = session.closed ? 0 : limits.idleTimeoutMs;
      timer = callbacks.after(idleMs, () => closeSession(session, callbacks));
    }
  };
  // one listener for all streams: there may be many, and each is there for long
  const closed = keepWhenDetached(sharedListener(onClose, failed));
  const onTrailers = (_stream: http2.ServerHttp2Stream, _trailers: object, _flags: number, raw: string[]) => {
    if (!attack.isOver) attack.hasHeaders(raw);
  };
  const trailed = keepWhenDetached(sharedListener(onTrailers, failed));
  callbacks.on(
    session,
    "stream",
    (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, flags: number, raw: string[]) => {
      if (session.destroyed) return;
      const openedAt = performance.now();
      open += 1;
      timer.stop();
      const record: StreamRecord = { openedAt, timeoutMs: clientTimeoutMs(headers) };
      Reflect.set(stream, RECORD, record);
      stream.on(CLOSE, closed).on(TRAILERS, trailed);
      if (attack.isOver || attack.hasHeaders(raw)) return;
      try {
        onStream(stream, headers, flags, raw);
      } catch (error) {
        failed(stream, error);
      }
    },
  );
  callbacks.on(session, "error", (error: NodeJS.ErrnoException) => {
    if (isViolation(error)) onViolation();
  });
  callbacks.once(session, "close", () => timer.stop());
}

/** nghttp2's number of an error of the protocol, by a stream or by the connection. */
const ERR_PROTO = -505;

/**
 * Keeps a session whose peer sent a body longer than its content-length. nghttp2 resets that stream alone
 * (RFC 9113 sections 5.4.2 and 8.1.1), but reports it as it does errors of connections, for which Node
 * destroys the session. So the session is destroyed a turn later, unless a stream was reset meanwhile.
 *
 * @param invalidStreams how many streams were reset for an error of the protocol
 */
function spareForStreams(
  session: http2.ServerHttp2Session,
  callbacks: Callbacks,
  invalidStreams: () => number,
): void {
  const destroy = session.destroy.bind(session);
  session.destroy = (error?: NodeJS.ErrnoException, code?: number) => {
    if (error?.code !== "ERR_HTTP2_ERROR" || error.errno !== ERR_PROTO) {
      destroy(error, code);
      return;
    }
    const before = invalidStreams();
    callbacks.soon(() => {
      if (invalidStreams() === before) destroy(error, code);
    });
  };
}

/** Whether nghttp2 has ended a session for what its peer sent, and not the network. */
function isViolation({ code }: NodeJS.ErrnoException): boolean {
  return (
    code === "ERR_HTTP2_ERROR" ||
    code === "ERR_HTTP2_TOO_MANY_INVALID_FRAMES" ||
    code === "ERR_HTTP2_SESSION_ERROR"
  );
}

/** Whether a stream ended before its response did, by either side, whatever code that had. */
function wasReset({ rstCode, aborted }: http2.ServerHttp2Stream): boolean {
  return rstCode !== http2.constants.NGHTTP2_NO_ERROR || aborted;
}

/**
 * Says GOAWAY and ends the session: streams in flight may finish, and an idle peer has a moment to hang up.
 */
function closeSession(session: http2.ServerHttp2Session, callbacks: Callbacks): void {
  session.close();
  const timer = callbacks.after(CLOSE_GRACE_MS, () => session.destroy());
  callbacks.once(session, "close", timer.stop);
}
