import fs from "node:fs";
import net from "node:net";
import tty from "node:tty";
import { LineQueue, type Sink } from "./line-queue.ts";

/** The delay before retrying a terminal that accepts no more output, in milliseconds. */
const BUSY_MS = 20;

const QUEUES = new Map<number, LineQueue>();

/** Returns the queue for standard output. It drops nothing, since commands print finite texts. */
export function standardOutput(): LineQueue {
  return queueOf(1, Number.POSITIVE_INFINITY);
}

/** Returns the queue for standard error, where at most one megabyte waits. */
export function standardError(): LineQueue {
  return queueOf(2);
}

function queueOf(fd: 1 | 2, maxBytes?: number): LineQueue {
  const queue = QUEUES.get(fd) ?? new LineQueue(sinkOf(fd), maxBytes);
  QUEUES.set(fd, queue);
  return queue;
}

/**
 * A sink that blocks neither this thread nor, at the end, the process: a thread that is stuck in a write
 * would hold it. Node's own streams do so for pipes and sockets only;
 * to terminals and files they write synchronously.
 */
function sinkOf(fd: 1 | 2): Sink {
  if (tty.isatty(fd)) return fileSink(withoutBlocking(fd));
  const stream = fd === 1 ? process.stdout : process.stderr;
  return stream instanceof net.Socket ? streamSink(stream) : fileSink(fd);
}

function streamSink(stream: net.Socket): Sink {
  // A reader that is gone: the callback has the same error.
  stream.on("error", () => undefined);
  return (chunk, done) => void stream.write(chunk, done);
}

/** Writes to a file descriptor, as often as it takes. */
export function fileSink(fd: number, write: typeof fs.write = fs.write): Sink {
  return (chunk, done) => {
    const bytes = Buffer.from(chunk);
    const writeFrom = (offset: number) => {
      write(fd, bytes, offset, bytes.length - offset, null, (error, written) => {
        if (error?.code === "EAGAIN") {
          setTimeout(writeFrom, BUSY_MS, offset);
        } else if (error === null && offset + written < bytes.length) {
          writeFrom(offset + written);
        } else {
          done(error);
        }
      });
    };
    writeFrom(0);
  };
}

/**
 * The terminal, opened once more: to set the flag where it is would set it for
 * every process of this terminal.
 */
function withoutBlocking(fd: number): number {
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;
    return fs.openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}
