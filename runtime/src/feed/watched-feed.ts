import type { ConnectError } from "@connectrpc/connect";
import type { RunningCall } from "../call/running-call.ts";
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import { withResume } from "./resume-error.ts";
import type { Watcher } from "./watcher.ts";

/**
 * A watched feed whose messages are taken when `onReady` announces them: it holds no promise, generator or
 * timer while it waits. Its call ends when the feed has ended or was left.
 */
export class WatchedFeed {
  private readonly watcher: Watcher;
  private readonly call: RunningCall;

  constructor(watcher: Watcher, call: RunningCall) {
    this.watcher = watcher;
    this.call = call;
  }

  /**
   * Returns the next message; undefined if none is available yet.
   *
   * @throws ConnectError that ends the stream, after its last message
   */
  take(): Uint8Array<ArrayBuffer> | undefined {
    try {
      return this.watcher.take();
    } catch (thrown) {
      throw this.leave(this.call.errorOf(thrown));
    }
  }

  /**
   * Ends the watch from the client's side.
   *
   * @param error the error that ends the call. Default: CANCELED
   * @returns the error with the token from which the stream can be resumed
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
