import type { Call } from "../call/call.ts";
import { bodyIdle, deadlineExceeded } from "../call/call-errors.ts";
import { Callbacks } from "../listener/callbacks.ts";
import type { HttpRequest } from "../listener/http.ts";
import { raced } from "./race.ts";

/**
 * The chunks of a request's body. Fails with DEADLINE_EXCEEDED at the call's deadline, and after `idleMs`
 * without a chunk; `idleMs` 0 means that silence is fine, as for a stream of messages. Leaves the connection usable for the response.
 */
export async function* readBody(
  request: HttpRequest,
  call: Call,
  signal: AbortSignal,
  idleMs: number,
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
  const stop = () => (signal.reason instanceof Error ? signal.reason : deadlineExceeded(call.deadline));
  for (;;) {
    const next = raced(chunks.next(), signal, stop);
    const result = await (idleMs === 0 ? next : orIdle(next, idleMs));
    if (result.done === true) return;
    call.bytesIn += result.value.byteLength;
    if (idleMs > 0) call.hold?.(result.value.byteLength);
    yield result.value;
  }
}

function orIdle<T>(work: Promise<T>, idleMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = new Callbacks(reject).after(idleMs, () => reject(bodyIdle(idleMs)));
    work.then(resolve, reject).finally(timer.stop);
  });
}
