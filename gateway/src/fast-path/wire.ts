import type { ConnectError } from "@connectrpc/connect";
import type { HttpRequest } from "../listener/http.ts";
import type { Answer } from "./answer.ts";
import type { Head } from "./head.ts";

/** The message of a request as it came. */
export interface Intaken {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
  /** What is wrong with the rest of the body; undefined for nothing. An error in the message comes first. */
  readonly problem?: ConnectError | undefined;
}

/** Takes a request's body, chunk by chunk, and holds it to its limit. */
export interface Intake {
  /**
   * Takes a chunk; true when nothing that may follow makes a difference.
   *
   * @throws ConnectError
   */
  push(chunk: Uint8Array): boolean;
  /**
   * What the body had.
   *
   * @throws ConnectError when that is no message
   */
  end(): Intaken;
}

/** How a protocol carries one call of a unary method. */
export interface Wire {
  /** @throws ConnectError when the headers say that the body is too large */
  intake(request: HttpRequest, maxBytes: number): Intake;
  /** The answer with a message. */
  answer(message: Uint8Array, head: Head, header: Headers): Answer | Promise<Answer>;
  /** The answer with an error. */
  error(error: ConnectError, head: Head): Answer | Promise<Answer>;
}
