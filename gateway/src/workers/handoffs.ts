import type { ChildProcess } from "node:child_process";

/**
 * A message of Node's cluster module. `newconn` hands over a connection, and the worker acknowledges it by
 * its number.
 */
interface ClusterMessage {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

const CLUSTER = "NODE_CLUSTER";

/**
 * Passes connections to other workers if a worker exits before it has accepted them. Node closes its copy of
 * a connection in the primary process once the worker has accepted the connection. It forgets a connection
 * that the worker never accepts, and the client would wait forever. This function reports such a connection
 * as not accepted, so that Node passes it to another worker.
 *
 * @param hasOthers returns whether other workers exist; if not, the connections are closed
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
  // emitted once all messages that the worker sent before it ended have been read
  worker.once("close", () => {
    // if a worker exits during a handoff, Node does not emit this event, and would hand over more connections
    // to the worker
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
