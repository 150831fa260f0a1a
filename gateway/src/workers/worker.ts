import cluster, { type Worker } from "node:cluster";
import type { BrokerChannel } from "../bus/group-bus.ts";
import type { FromBroker } from "../bus/group-messages.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** In a worker: what it is told by the primary process. */
export class Orders {
  readonly start: WorkerStart;
  /** Resolves when another worker has taken its place. */
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

  /** Waits for the first message. */
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

  /** The broker of feeds is the primary process. */
  get broker(): BrokerChannel {
    return {
      send: (message) => tellPrimary({ type: "feed", message }),
      onMessage: (receive) => {
        this.handlers.feed = receive;
      },
    };
  }
}

/** What this process is told, if it is a worker. */
export async function ordersOfWorker(): Promise<Orders | undefined> {
  return cluster.isWorker ? Orders.receive() : undefined;
}

/** Tells the primary process something; resolves when it is sent, or cannot be. */
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
 * In the primary process: tells a worker something; resolves when the channel has taken it, or cannot. A
 * worker that is ending hears nothing.
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
