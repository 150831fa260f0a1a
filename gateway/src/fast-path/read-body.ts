import type { Call } from "../call/call.ts";
import { CallEnd } from "../call/call-end.ts";
import { bodyIdle } from "../call/call-errors.ts";
import { Callbacks } from "../listener/callbacks.ts";
import { type HttpRequest, incoming } from "../listener/http.ts";
import { countChunk } from "../listener/read-turns.ts";
import type { BodyReader, RawMessage } from "./wire.ts";

/**
 * Reads the body of a request. Rejects with the error of the reader, with the reason why the call ended, with
 * DEADLINE_EXCEEDED after `idleMs` without a chunk, or with UNAVAILABLE if its memory is reclaimed for other
 * calls. Leaves the connection usable for the response.
 */
export function readBody(
  request: HttpRequest,
  reader: BodyReader,
  call: Pick<Call, "bytesIn" | "hold">,
  end: CallEnd | AbortSignal,
  idleMs: number,
): Promise<RawMessage> {
  return new Promise((resolve, reject) => {
    const callbacks = new Callbacks(reject);
    const settle = (act: () => void) => {
      timer.stop();
      for (const off of offs) off();
      call.hold?.arrived();
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
      countChunk(request);
      call.bytesIn += chunk.byteLength;
      timer.restart();
      finish(() => {
        call.hold?.add(chunk.byteLength);
        return reader.push(chunk);
      });
    };
    const onEnd = () => finish(() => true);
    const onAbort = () => settle(() => reject(end.reason));
    const timer = callbacks.after(idleMs, () => settle(() => reject(bodyIdle(idleMs))));
    call.hold?.arriving((error) => settle(() => reject(error)));
    const body = incoming(request);
    const offs = [
      onEndOf(end, callbacks, onAbort),
      callbacks.on(body, "data", onData),
      callbacks.on(body, "end", onEnd),
    ];
  });
}

function onEndOf(end: CallEnd | AbortSignal, callbacks: Callbacks, callback: () => void): () => void {
  if (!(end instanceof CallEnd)) return callbacks.onAbort(end, callback);
  end.onCancel(callbacks.guarded(callback));
  return () => end.onCancel(undefined);
}
