import type { ConnectError } from "@connectrpc/connect";
import type { RunningCall } from "../call/running-call.ts";
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import { withResume } from "./resume-error.ts";
import type { Watcher } from "./watcher.ts";

/**
 * A watched feed, without promises, generators or timers. `onReady` announces messages, and `take` returns
 * them. The call ends when the feed ends or the watcher leaves.
 */
export class WatchedFeed {
  private readonly watcher: Watcher;
  private readonly call: RunningCall;

  constructor(watcher: Watcher, call: RunningCall) {
    this.watcher = watcher;
    this.call = call;
  }

  /**
   * Returns the next message, or undefined if none is available yet.
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
   * Ends the watch on behalf of the client.
   *
   * @param error the error that ends the call. Default: CANCELED
   * @returns the error, with the token from which the stream can be resumed
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
