import type { Call } from "../call/call.ts";
import { bodyIdle } from "../call/call-errors.ts";
import type { HttpRequest } from "../listener/http.ts";
import type { BodyReader, RawMessage } from "./wire.ts";

/**
 * Reads a request's body. Rejects with what the reader throws, with the signal's reason once that is
 * aborted, and with DEADLINE_EXCEEDED after `idleMs` without a chunk. Leaves the connection usable for the response.
 */
export function readBody(
  request: HttpRequest,
  reader: BodyReader,
  call: Call,
  signal: AbortSignal,
  idleMs: number,
): Promise<RawMessage> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd);
      signal.removeEventListener("abort", onAbort);
      act();
    };
    const finish = (work: () => boolean) => {
      try {
        if (work()) settle(() => resolve(reader.end()));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onData = (chunk: Uint8Array) => {
      call.bytesIn += chunk.byteLength;
      timer.refresh();
      finish(() => reader.push(chunk));
    };
    const onEnd = () => finish(() => true);
    const onAbort = () => settle(() => reject(signal.reason));
    const timer = setTimeout(() => settle(() => reject(bodyIdle(idleMs))), idleMs);
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("data", onData).on("end", onEnd);
  });
}
