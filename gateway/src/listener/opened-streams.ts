import { subscribe } from "node:diagnostics_channel";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Callbacks } from "./callbacks.ts";
import { keepWhenDetached } from "./detach.ts";
import type { ReadTurns } from "./read-turns.ts";

/** The property of a session that counts the streams that the session opens. */
const OPENED = Symbol("opened");

// a named constant: a listener that ignores an event cannot throw
const ERROR = "error";
const ignoreError = keepWhenDetached(() => undefined);

/**
 * Calls back as soon as a session has opened too many streams in one event-loop turn, at the moment when Node
 * creates the stream. The event `stream` would be too late: it is emitted only after a whole packet was read,
 * which can open and reset thousands of streams. A session destroyed here creates no further streams. Stream
 * errors are ignored, since they may be emitted before the event.
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

/** Subscribes to Node's diagnostics channel, which reports the streams of all servers. */
function watchStreams(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe("http2.server.stream.created", (message) => {
    const { stream } = message as { readonly stream: ServerHttp2Stream };
    if (stream.session !== undefined) Reflect.get(stream.session, OPENED)?.(stream);
  });
}
