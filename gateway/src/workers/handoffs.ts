import type { ChildProcess } from "node:child_process";

/** A message of Node's cluster: `newconn` hands over a connection, to be acknowledged by its number. */
interface ClusterMessage {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

const CLUSTER = "NODE_CLUSTER";

/**
 * Gives connections to other workers that a worker was handed and did not take before it ended. Node closes a
 * connection here when the worker has taken it, and forgets one that the worker never takes: its client would
 * wait without end. Said as if the worker had not accepted it, Node hands it to another.
 *
 * @param hasOthers whether there are any; without, the connections are closed
 */
export function returnHandoffs(worker: ChildProcess, hasOthers: () => boolean): void {
  const open = new Map<unknown, { readonly close: () => void }>();
  const send = worker.send.bind(worker) as (...values: unknown[]) => boolean;
  const sending = (message: ClusterMessage, handle?: { readonly close: () => void }, ...more: unknown[]) => {
    if (message.act === "newconn" && handle !== undefined) open.set(message.seq, handle);
    return send(message, handle, ...more);
  };
  worker.send = sending as ChildProcess["send"];
  worker.on("internalMessage", ({ cmd, ack }: ClusterMessage) => {
    if (cmd === CLUSTER) open.delete(ack);
  });
  let isDisconnected = false;
  worker.once("disconnect", () => {
    isDisconnected = true;
  });
  // when what the worker said before it ended has been read
  worker.once("close", () => {
    // Node does not say so of a worker that ends in the middle of a handoff, and hands more to it
    if (!isDisconnected) worker.emit("disconnect");
    for (const [ack, handle] of open) {
      if (hasOthers()) {
        worker.emit("internalMessage", { cmd: CLUSTER, ack, accepted: false }, undefined);
      } else {
        handle.close();
      }
    }
  });
}
