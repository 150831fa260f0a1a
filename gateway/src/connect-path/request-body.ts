import type { Call } from "../call/call.ts";
import { bodyIdle, deadlineExceeded } from "../call/call-errors.ts";
import { Callbacks } from "../listener/callbacks.ts";
import type { HttpRequest } from "../listener/http.ts";
import { countChunk } from "../listener/read-turns.ts";
import { ENVELOPE_PREFIX_BYTES } from "../protocol/envelope.ts";
import { raced } from "./race.ts";

/**
 * Yields the chunks of a request's body. Fails with DEADLINE_EXCEEDED at the call's deadline or after
 * `idleMs` without a chunk, and with UNAVAILABLE if its memory is reclaimed for other calls. If `idleMs` is
 * 0, as for client streams, pauses are allowed and no memory is counted. Leaves the connection usable for the
 * response.
 */
export async function* readBody(
  request: HttpRequest,
  call: Call,
  signal: AbortSignal,
  idleMs: number,
): AsyncGenerator<Uint8Array> {
  if (idleMs === 0) {
    yield* counted(request, call, signal, isMessage, (next) => next);
    return;
  }
  const taken = new AbortController();
  call.hold?.arriving((error) => taken.abort(error));
  try {
    const either = AbortSignal.any([signal, taken.signal]);
    for await (const chunk of counted(request, call, either, isPart, (next) => orIdle(next, idleMs))) {
      call.hold?.add(chunk.byteLength);
      yield chunk;
    }
  } finally {
    call.hold?.arrived();
  }
}

/** Returns whether a chunk may be a whole message of a stream. */
function isMessage({ byteLength }: Uint8Array): boolean {
  return byteLength >= ENVELOPE_PREFIX_BYTES;
}

function isPart(): boolean {
  return false;
}

async function* counted(
  request: HttpRequest,
  call: Call,
  signal: AbortSignal,
  isUseful: (chunk: Uint8Array) => boolean,
  timed: <T>(next: Promise<T>) => Promise<T>,
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
  const stop = () => (signal.reason instanceof Error ? signal.reason : deadlineExceeded(call.deadline));
  for (;;) {
    const result = await timed(raced(chunks.next(), signal, stop));
    if (result.done === true) return;
    countChunk(request, isUseful(result.value));
    call.bytesIn += result.value.byteLength;
    yield result.value;
  }
}

function orIdle<T>(work: Promise<T>, idleMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = new Callbacks(reject).after(idleMs, () => reject(bodyIdle(idleMs)));
    work.then(resolve, reject).finally(timer.stop);
  });
}
