import fs from "node:fs";
import net from "node:net";
import tty from "node:tty";
import { LineQueue, type LineQueueOptions, type Sink } from "./line-queue.ts";

/** The delay before a write to a terminal that accepts no more output is retried, in milliseconds. */
const BUSY_MS = 20;

/** The options of a queue for the lines of a log. */
export const LOG_LINES: LineQueueOptions = { pauseMs: 10 };

const QUEUES = new Map<number, LineQueue>();

/** Returns the queue for standard output, which drops no lines, since the output of commands is finite. */
export function standardOutput(): LineQueue {
  return queueOf(1, { maxBytes: Number.POSITIVE_INFINITY });
}

/** Returns the queue for standard error, which holds at most one megabyte, for the lines of a log. */
export function standardError(): LineQueue {
  return queueOf(2, LOG_LINES);
}

function queueOf(fd: 1 | 2, options: LineQueueOptions): LineQueue {
  const queue = QUEUES.get(fd) ?? new LineQueue(sinkOf(fd), options);
  QUEUES.set(fd, queue);
  return queue;
}

/**
 * Returns a sink whose writes block neither the event loop nor the exit of the process. (The exit would wait
 * for a thread that is stuck in a write.) Node's own streams are asynchronous only for pipes and sockets;
 * their writes to terminals and files are synchronous.
 */
function sinkOf(fd: 1 | 2): Sink {
  if (tty.isatty(fd)) return fileSink(withoutBlocking(fd));
  const stream = fd === 1 ? process.stdout : process.stderr;
  return stream instanceof net.Socket ? streamSink(stream) : fileSink(fd);
}

function streamSink(stream: net.Socket): Sink {
  // the write callback receives the same error if the reader has closed the stream
  stream.on("error", () => undefined);
  return (chunk, done) => void stream.write(chunk, done);
}

/** Returns a sink that writes to a file descriptor, and repeats partial writes until the chunk is written. */
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
 * Opens the terminal again with O_NONBLOCK. Setting the flag on the original descriptor would set it for all
 * processes that share the terminal.
 */
function withoutBlocking(fd: number): number {
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;
    return fs.openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}
