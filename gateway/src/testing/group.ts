import { Broker, type BrokerLimits } from "../bus/broker.ts";
import type { BrokerPeer } from "../bus/broker-peer.ts";
import { GroupBus } from "../bus/group-bus.ts";
import { Told } from "./bus-members.ts";

/** A simulated process of a group. */
export interface TestProcess {
  readonly bus: GroupBus;
  readonly told: Told;
  /** Holds back all messages to and from the process, as if the process were suspended. */
  cut(): void;
  mend(): void;
  /** Ends the process as SIGKILL would. */
  kill(): void;
}

/** Simulated processes with a broker, and channels between them that carry JSON. */
export class TestGroup {
  readonly broker: Broker;
  /** The highest number of messages that were in transit to one process at the same time. */
  mostOnTheWay = 0;
  private readonly processes: TestProcess[] = [];

  constructor(limits?: BrokerLimits) {
    this.broker = new Broker(limits);
  }

  start(): TestProcess {
    const told = new Told();
    const [up, down] = [new Wire(), new Wire()];
    const peer: BrokerPeer = this.broker.connect((message) => {
      this.mostOnTheWay = Math.max(this.mostOnTheWay, down.size + 1);
      return down.send(message);
    });
    up.receive = (message) => peer.receive(message as never);
    const bus = new GroupBus(
      {
        send: (message) => up.send(message),
        onMessage: (receive) => {
          down.receive = (message) => receive(message as never);
        },
      },
      told,
    );
    const cut = () => {
      up.isCut = true;
      down.isCut = true;
    };
    const mend = () => {
      up.mend();
      down.mend();
    };
    const kill = () => {
      cut();
      peer.close();
    };
    const process = { bus, told, cut, mend, kill };
    this.processes.push(process);
    return process;
  }

  /** Silences the broker. */
  stop(): void {
    for (const process of this.processes) process.cut();
  }

  goOn(): void {
    for (const process of this.processes) process.mend();
  }

  async close(): Promise<void> {
    this.goOn();
    await Promise.all(this.processes.map(({ bus }) => bus.close()));
  }
}

/** One direction of a channel. Sending a message resolves when the receiver reads it. */
class Wire {
  receive: (message: unknown) => void = () => undefined;
  isCut = false;
  private readonly waiting: { readonly text: string; readonly taken: () => void }[] = [];
  private isReading = false;

  get size(): number {
    return this.waiting.length;
  }

  send(message: unknown): Promise<void> {
    return new Promise((taken) => {
      this.waiting.push({ text: JSON.stringify(message), taken });
      this.read();
    });
  }

  mend(): void {
    this.isCut = false;
    this.read();
  }

  private read(): void {
    if (this.isReading) return;
    this.isReading = true;
    setImmediate(() => {
      this.isReading = false;
      const first = this.isCut ? undefined : this.waiting.shift();
      if (first === undefined) return;
      this.receive(JSON.parse(first.text));
      first.taken();
      this.read();
    });
  }
}
