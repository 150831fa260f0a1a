import { subscribe } from "node:diagnostics_channel";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Callbacks } from "./callbacks.ts";
import { keepWhenDetached } from "./detach.ts";
import type { ReadTurns } from "./read-turns.ts";

/** Where a session has what counts the streams that it opens. */
const OPENED = Symbol("opened");

// a name apart from the call: what ignores an event cannot throw
const ERROR = "error";
const ignoreError = keepWhenDetached(() => undefined);

/**
 * Calls back when a session has opened too many streams in one turn of the event loop, as soon as Node has
 * made the stream. The event `stream` comes when all of a packet is read, which can hold thousands of streams
 * that are opened and reset: a session that is destroyed here makes no more of them. Errors of streams are
 * ignored, since they may come before the event.
 *
 * @param tooMany must not throw
 */
export function watchOpened(
  session: ServerHttp2Session,
  most: number,
  callbacks: Pick<Callbacks, "soon">,
  readTurns: ReadTurns,
  tooMany: () => void,
): void {
  watchStreams();
  let inTurn = 0;
  const opened = (stream: ServerHttp2Stream) => {
    stream.on(ERROR, ignoreError);
    if (inTurn === 0) {
      callbacks.soon(() => {
        inTurn = 0;
      });
    }
    inTurn += 1;
    readTurns.count(1);
    if (inTurn > most) tooMany();
  };
  Reflect.set(session, OPENED, opened);
}

let isWatching = false;

/** Node has one channel for the streams of all servers. */
function watchStreams(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe("http2.server.stream.created", (message) => {
    const { stream } = message as { readonly stream: ServerHttp2Stream };
    if (stream.session !== undefined) Reflect.get(stream.session, OPENED)?.(stream);
  });
}
