import http2 from "node:http2";
import { clientTimeoutMs } from "../call/deadline.ts";
import type { Limits } from "../limits.ts";
import { Callbacks, sharedListener, type Timer } from "./callbacks.ts";
import { keepWhenDetached } from "./detach.ts";
import { type AttackReports, SessionAttack } from "./session-attack.ts";

/** The time that a session has to close, in milliseconds. */
const CLOSE_GRACE_MS = 1000;

/** Receives the events of a session. */
export interface SessionReports extends AttackReports {
  readonly onError: (error: unknown) => void;
  /** Called when a session ends because its peer violates the protocol. */
  readonly onViolation: () => void;
}

/** The state of a stream until it ends. */
interface StreamRecord {
  readonly openedAt: number;
  readonly timeoutMs: number | undefined;
}

/**
 * The property of a stream that holds its record. A Map would need an insertion and a removal for each
 * stream.
 */
const RECORD = Symbol("record");

// named constants, because Callbacks does not register these listeners, which catch errors themselves
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
 * Serves the streams of a session, and enforces limits for which Node has no timer. The first request must be
 * complete within `headersTimeoutMs`. The session may be without a request for at most `idleTimeoutMs`, even
 * if bytes trickle in. `ResetBudget` limits resets, and `HeaderBudget` limits headers. An error thrown by a
 * callback ends the session or the affected stream.
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
  // Node closes all streams of an ending connection in a single turn.
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
      // After the peer has sent a GOAWAY, Node considers the session closed, but the peer can keep it open.
      const idleMs = session.closed ? 0 : limits.idleTimeoutMs;
      timer = callbacks.after(idleMs, () => closeSession(session, callbacks));
    }
  };
  // a single listener for all streams, because a session may have many long-lived streams
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

/** The error number of nghttp2 for a protocol error of a stream or a connection. */
const ERR_PROTO = -505;

/**
 * Keeps a session open if its peer sent a body longer than its content-length. nghttp2 resets only that
 * stream (RFC 9113 sections 5.4.2 and 8.1.1), but reports the error in the same way as a connection error, on
 * which Node destroys the session. The session is therefore destroyed one turn later, unless a stream was
 * reset in the meantime.
 *
 * @param invalidStreams returns the number of streams that were reset for a protocol error
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

/**
 * Returns whether nghttp2 has ended a session because of its peer's input, rather than because of the
 * network.
 */
function isViolation({ code }: NodeJS.ErrnoException): boolean {
  return (
    code === "ERR_HTTP2_ERROR" ||
    code === "ERR_HTTP2_TOO_MANY_INVALID_FRAMES" ||
    code === "ERR_HTTP2_SESSION_ERROR"
  );
}

/** Returns whether a stream was ended before its response, by either side and with any code. */
function wasReset({ rstCode, aborted }: http2.ServerHttp2Stream): boolean {
  return rstCode !== http2.constants.NGHTTP2_NO_ERROR || aborted;
}

/**
 * Sends GOAWAY and ends the session: streams in flight may finish, and an idle peer has a moment to close.
 */
function closeSession(session: http2.ServerHttp2Session, callbacks: Callbacks): void {
  session.close();
  const timer = callbacks.after(CLOSE_GRACE_MS, () => session.destroy());
  callbacks.once(session, "close", timer.stop);
}
