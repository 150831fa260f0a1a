import http2 from "node:http2";
import { clientTimeoutMs } from "../call/deadline.ts";
import type { LimitName, Limits, OnLimit } from "../limits.ts";
import type { Attackers } from "./attackers.ts";
import { Callbacks, sharedListener, type Timer } from "./callbacks.ts";
import { HeaderBudget } from "./header-budget.ts";
import { watchOpened } from "./opened-streams.ts";
import { keepWhenParked } from "./park.ts";
import { ResetBudget } from "./resets.ts";

/** How long a session may take to close. */
const CLOSE_GRACE_MS = 1000;

/** Who hears of what becomes of a session. */
export interface SessionReports {
  readonly onLimit: OnLimit;
  readonly onError: (error: unknown) => void;
  /** Notified when a session ends because its peer violates the protocol. */
  readonly onViolation: () => void;
  /** What is counted for the client, with its other connections. */
  readonly attackers: Pick<Attackers, "hasReset" | "add">;
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
  { onLimit, onError, onViolation, attackers }: SessionReports,
): void {
  const callbacks = new Callbacks((error) => {
    onError(error);
    session.destroy(new Error("a callback failed"), http2.constants.NGHTTP2_INTERNAL_ERROR);
  });
  const client = session.socket.remoteAddress ?? "";
  const resets = new ResetBudget(limits, performance.now(), (now) => attackers.hasReset(client, now));
  const headerBudget = new HeaderBudget(() => session.socket.bytesRead);
  let open = 0;
  let isOver = false;
  const exceeded = (limit: LimitName) => {
    isOver = true;
    onLimit(limit);
    attackers.add(client, performance.now());
  };
  // Of twice as many as there may be at a time, half have been reset by now, which is more than a burst.
  watchOpened(session, 2 * resets.burst, callbacks, () => {
    if (isOver) return;
    exceeded("resetsPerSecond");
    destroy(session);
  });
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
    const { openedAt, timeoutMs }: StreamRecord = Reflect.get(stream, RECORD);
    if (session.destroyed || isOver) return;
    const now = performance.now();
    const reset = { ageMs: now - openedAt, timeoutMs };
    if (wasReset(stream) && resets.isExceeded(reset, now)) {
      exceeded("resetsPerSecond");
      endSession(session, callbacks);
    } else if (open === 0) {
      // After a peer's GOAWAY it is closed already, and yet would stay as long as the peer likes.
      const idleMs = session.closed ? 0 : limits.idleTimeoutMs;
      timer = callbacks.after(idleMs, () => closeSession(session, callbacks));
    }
  };
  // one listener for all streams: there may be many, and each is there for long
  const closed = keepWhenParked(sharedListener(onClose, failed));
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
      stream.on(CLOSE, closed);
      if (isOver) return;
      if (headerBudget.isExceeded(raw)) {
        exceeded("headerBytes");
        endSession(session, callbacks);
        return;
      }
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
 * Ends a session for an attack, as soon as its GOAWAY is written: destroyed at once, a session that writes
 * something else would lose it.
 */
function endSession(session: http2.ServerHttp2Session, callbacks: Callbacks): void {
  session.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
  callbacks.soon(() => callbacks.soon(() => destroy(session)));
}

/** Ends a session at once. Without an error Node would make the code NO_ERROR. */
function destroy(session: http2.ServerHttp2Session): void {
  const error = new Error("the session is ended for an attack");
  session.destroy(error, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

/**
 * Says GOAWAY and ends the session: streams in flight may finish, and an idle peer has a moment to hang up.
 */
function closeSession(session: http2.ServerHttp2Session, callbacks: Callbacks): void {
  session.close();
  const timer = callbacks.after(CLOSE_GRACE_MS, () => session.destroy());
  callbacks.once(session, "close", timer.stop);
}
