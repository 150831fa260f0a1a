import { Code, ConnectError } from "@connectrpc/connect";
import type { Call } from "../call/call.ts";
import type { HttpRequest } from "../listener/http.ts";
import { deadlineExceeded, raced } from "./race.ts";

/**
 * The chunks of a request's body. Fails with DEADLINE_EXCEEDED at the call's deadline, and after `idleMs`
 * without a chunk; `idleMs` 0 means that silence is fine. Leaves the connection usable for the answer.
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
    yield result.value;
  }
}

function orIdle<T>(work: Promise<T>, idleMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const text = `nothing more of the request arrived for bodyIdleTimeoutMs, ${idleMs} ms`;
    const timer = setTimeout(() => reject(new ConnectError(text, Code.DeadlineExceeded)), idleMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
