import cluster, { type Worker } from "node:cluster";
import type { BrokerChannel } from "../bus/group-bus.ts";
import type { FromBroker } from "../bus/group-messages.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** The messages that a worker receives from the primary process. */
export class Orders {
  readonly start: WorkerStart;
  /** Resolves when another worker has replaced this one. */
  readonly retired: Promise<void>;
  private readonly handlers: {
    reload?: () => void;
    measure?: (request: number) => void;
    feed?: (message: FromBroker) => void;
  } = {};

  private constructor(start: WorkerStart) {
    this.start = start;
    this.retired = new Promise((resolve) => {
      process.on("message", (message: ToWorker) => {
        if (message.type === "retire") resolve();
        if (message.type === "beat") void tellPrimary({ type: "beating" });
        if (message.type === "reload") this.handlers.reload?.();
        if (message.type === "measure") this.handlers.measure?.(message.request);
        if (message.type === "feed") this.handlers.feed?.(message.message);
      });
    });
  }

  /** Waits for the first message from the primary process. */
  static receive(): Promise<Orders> {
    return new Promise((resolve) => {
      process.once("message", (message: WorkerStart) => resolve(new Orders(message)));
    });
  }

  onReload(reload: () => void): void {
    this.handlers.reload = reload;
  }

  onMeasure(measure: (request: number) => void): void {
    this.handlers.measure = measure;
  }

  /** The channel to the broker of feeds, which runs in the primary process. */
  get broker(): BrokerChannel {
    return {
      send: (message) => tellPrimary({ type: "feed", message }),
      onMessage: (receive) => {
        this.handlers.feed = receive;
      },
    };
  }
}

/** Waits for the start message in a worker; resolves to undefined in other processes. */
export async function ordersOfWorker(): Promise<Orders | undefined> {
  return cluster.isWorker ? Orders.receive() : undefined;
}

/**
 * Sends a message to the primary process; resolves once the message has been sent, or if it cannot be sent.
 */
export function tellPrimary(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) {
      resolve();
    } else {
      process.send(message, undefined, {}, () => resolve());
    }
  });
}

/**
 * Sends a message from the primary process to a worker; resolves once the message has been sent, or if it
 * cannot be sent. A worker that is exiting receives nothing.
 */
export function tellWorker(worker: Worker, message: ToWorker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isConnected()) {
      worker.send(message, () => resolve());
    } else {
      resolve();
    }
  });
}
