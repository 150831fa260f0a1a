import { Code, ConnectError } from "@connectrpc/connect";
import type { Call } from "../call/call.ts";
import type { HttpRequest } from "../listener/http.ts";
import type { Intake, Intaken } from "./wire.ts";

/**
 * Reads a request's body into an intake. Rejects with what the intake throws, with the signal's reason once that is
 * aborted, and with DEADLINE_EXCEEDED after `idleMs` without a chunk. Leaves the connection usable for the answer.
 */
export function readBody(
  request: HttpRequest,
  intake: Intake,
  call: Call,
  signal: AbortSignal,
  idleMs: number,
): Promise<Intaken> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd);
      signal.removeEventListener("abort", onAbort);
      act();
    };
    const finish = (work: () => boolean) => {
      try {
        if (work()) settle(() => resolve(intake.end()));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onData = (chunk: Uint8Array) => {
      call.bytesIn += chunk.byteLength;
      timer.refresh();
      finish(() => intake.push(chunk));
    };
    const onEnd = () => finish(() => true);
    const onAbort = () => settle(() => reject(signal.reason));
    const timer = setTimeout(() => settle(() => reject(idleError(idleMs))), idleMs);
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("data", onData).on("end", onEnd);
  });
}

function idleError(idleMs: number): ConnectError {
  const text = `nothing more of the request arrived for bodyIdleTimeoutMs, ${idleMs} ms`;
  return new ConnectError(text, Code.DeadlineExceeded);
}
