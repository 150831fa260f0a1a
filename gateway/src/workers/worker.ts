import cluster, { type Worker } from "node:cluster";
import type { BrokerChannel } from "../bus/group-bus.ts";
import type { FromBroker } from "../bus/group-messages.ts";
import type { Survey } from "../console/options.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** The time after which a worker no longer waits for a survey, in milliseconds. */
const SURVEY_MS = 3000;

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

  private readonly surveys = new Map<number, (survey: Survey | undefined) => void>();
  private requests = 0;

  private constructor(start: WorkerStart) {
    this.start = start;
    this.retired = new Promise((resolve) => {
      process.on("message", (message: ToWorker) => {
        if (message.type === "retire") resolve();
        if (message.type === "beat") void tellPrimary({ type: "beating" });
        if (message.type === "reload") this.handlers.reload?.();
        if (message.type === "measure") this.handlers.measure?.(message.request);
        if (message.type === "surveyed") this.surveys.get(message.request)?.(message.survey);
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

  /** Resolves to what all workers have counted, or to undefined if the primary process does not respond. */
  async survey(): Promise<Survey | undefined> {
    const request = this.requests++;
    const { promise, resolve } = Promise.withResolvers<Survey | undefined>();
    const timer = setTimeout(() => resolve(undefined), SURVEY_MS);
    this.surveys.set(request, resolve);
    await tellPrimary({ type: "survey", request });
    const survey = await promise;
    clearTimeout(timer);
    this.surveys.delete(request);
    return survey;
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
