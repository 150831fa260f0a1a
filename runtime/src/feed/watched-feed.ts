import type { ConnectError } from "@connectrpc/connect";
import type { RunningCall } from "../call/running-call.ts";
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import { withResume } from "./resume-error.ts";
import type { Watcher } from "./watcher.ts";

/**
 * A feed for one who watches it and asks for messages when it is told that some are there: no promise, no
 * generator and no timer waits with it. Its call is over once it has ended or was left.
 */
export class WatchedFeed {
  private readonly watcher: Watcher;
  private readonly call: RunningCall;

  constructor(watcher: Watcher, call: RunningCall) {
    this.watcher = watcher;
    this.call = call;
  }

  /**
   * The next message; undefined where none is there yet.
   *
   * @throws ConnectError that the stream ends with, behind its last message
   */
  take(): Uint8Array<ArrayBuffer> | undefined {
    try {
      return this.watcher.take();
    } catch (thrown) {
      throw this.leave(this.call.errorOf(thrown));
    }
  }

  /**
   * Ends it from its own side.
   *
   * @param error what the call ends with. Default: CANCELED
   * @returns the error with where the stream can go on
   */
  leave(error: ConnectError = canceled(this.call)): ConnectError {
    const { position } = this.watcher;
    this.watcher.leave();
    const told = withResume(error, position);
    this.call.ended(told);
    return told;
  }
}

function canceled({ adapter }: RunningCall): ConnectError {
  return restError("CANCELED", { method: fullName(adapter.method) });
}
