import http2 from "node:http2";
import type { Limits, OnLimit } from "../limits.ts";

/** How long a session that was told to close may take for it. */
const CLOSE_GRACE_MS = 1000;

/**
 * Holds a session to the limits that Node has no timer for: its first request must be complete in
 * `headersTimeoutMs`, it may be without a request for `idleTimeoutMs`, whatever bytes trickle in meanwhile, and
 * only `resetsPerSecond` of its streams may end in a reset (CVE-2023-44487, and CVE-2025-8671 where the peer
 * makes the server reset).
 */
export function watchSession(session: http2.ServerHttp2Session, limits: Limits, onLimit: OnLimit): void {
  const resets = new SecondCount(limits.resetsPerSecond);
  let open = 0;
  let timer = setTimeout(() => {
    onLimit("headersTimeoutMs");
    closeSession(session);
  }, limits.headersTimeoutMs);
  session.on("stream", (stream) => {
    open += 1;
    clearTimeout(timer);
    stream.once("close", () => {
      open -= 1;
      if (stream.rstCode !== http2.constants.NGHTTP2_NO_ERROR && resets.isExceeded(performance.now())) {
        onLimit("resetsPerSecond");
        session.destroy(undefined, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
      } else if (open === 0 && !session.closed) {
        timer = setTimeout(() => closeSession(session), limits.idleTimeoutMs);
      }
    });
  });
  session.once("close", () => clearTimeout(timer));
}

/** Says GOAWAY and ends the session: streams in flight may finish, and an idle peer has a moment to hang up. */
function closeSession(session: http2.ServerHttp2Session): void {
  session.close();
  const timer = setTimeout(() => session.destroy(), CLOSE_GRACE_MS);
  session.once("close", () => clearTimeout(timer));
}

/** Counts events in windows of one second. */
class SecondCount {
  private readonly limit: number;
  private windowStart = Number.NEGATIVE_INFINITY;
  private count = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Counts one event at `now`, in milliseconds; true when it is beyond the limit. */
  isExceeded(now: number): boolean {
    if (now - this.windowStart >= 1000) {
      this.windowStart = now;
      this.count = 0;
    }
    this.count += 1;
    return this.count > this.limit;
  }
}
