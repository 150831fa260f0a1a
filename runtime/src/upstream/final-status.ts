import type { Duplex } from "node:stream";
import { MAX_INTERIM_RESPONSES } from "../http/exchange.ts";
import { errors } from "../http/undici.ts";

/** The maximum total size of all heads, in bytes. */
const MAX_BYTES = 64 * 1024;

const BEGINNING = "HTTP/1.";
const STATUS_LINE = /^HTTP\/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?$/;

/** Matches a token and a value without line ends (RFC 9112 section 5). */
const FIELD_LINE = /^[!#$%&'*+\-.^_`|~\w]+:[^\0\r\n]*$/;

/**
 * The status that switches to another protocol. Here it is not an interim response, since no other protocol
 * was requested.
 */
const SWITCHING = 101;

/** Thrown for bytes that are not an HTTP/1.1 response, or if there are too many bytes. */
export class MalformedResponse extends Error {
  readonly code = "RESPONSE_MALFORMED";
}

/** Reports whether another response follows a response with this status (RFC 9110 section 15.2). */
function isInterim(status: number): boolean {
  return status < 200 && status !== SWITCHING;
}

/**
 * Reads the responses to a CONNECT up to the final response, and returns its status. Bytes after the head of
 * the final response remain in the socket.
 *
 * @param timeoutMs the time limit for all responses together
 * @throws MalformedResponse for anything else, and for more than MAX_INTERIM_RESPONSES interim responses
 */
export function finalStatus(socket: Duplex, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const heads = new Heads();
    const stop = () => {
      clearTimeout(timer);
      socket.off("readable", read).off("end", ended).off("close", ended).off("error", fail);
    };
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    const ended = () => fail(new errors.SocketError("other side closed"));
    const read = () => {
      try {
        const status = heads.push(socket.read() ?? Buffer.alloc(0));
        if (status === undefined) return;
        stop();
        if (heads.rest.length > 0) socket.unshift(heads.rest);
        resolve(status);
      } catch (error) {
        fail(error);
      }
    };
    const timer = setTimeout(() => fail(new errors.HeadersTimeoutError()), timeoutMs);
    socket.on("readable", read).on("end", ended).on("close", ended).on("error", fail);
  });
}

/** Parses the heads of responses without bodies, as they arrive. */
class Heads {
  /** The bytes that have not been parsed yet. */
  rest: Buffer = Buffer.alloc(0);
  private bytes = 0;
  private interim = 0;

  /** Returns the status of the final response once its head is complete. */
  push(chunk: Buffer): number | undefined {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const end = this.rest.indexOf("\r\n\r\n");
      if (this.bytes + (end < 0 ? this.rest.length : end) > MAX_BYTES) {
        throw new MalformedResponse(`more than ${MAX_BYTES} bytes of heads`);
      }
      if (end < 0) {
        // a peer that uses another protocol may never send the end of a head
        if (!BEGINNING.startsWith(this.rest.toString("latin1", 0, BEGINNING.length))) throw malformed();
        return undefined;
      }
      const status = statusOf(this.rest.toString("latin1", 0, end));
      this.rest = this.rest.subarray(end + 4);
      this.bytes += end + 4;
      if (!isInterim(status)) return status;
      if (++this.interim > MAX_INTERIM_RESPONSES) {
        throw new MalformedResponse(`more than ${MAX_INTERIM_RESPONSES} interim responses`);
      }
    }
  }
}

function statusOf(head: string): number {
  const [first = "", ...fields] = head.split("\r\n");
  const [, status] = STATUS_LINE.exec(first) ?? [];
  if (status === undefined || !fields.every((line) => FIELD_LINE.test(line))) {
    throw malformed();
  }
  return Number(status);
}

function malformed(): MalformedResponse {
  return new MalformedResponse("no head of HTTP/1.1");
}
