import type { FeedMember, FeedMembership, FeedName } from "connect-rest-runtime/internal";
import type { BusObserver, ProcessBus } from "./bus-options.ts";
import { GroupMembership } from "./group-membership.ts";
import { BEATS, type FromBroker, type ToBroker } from "./group-messages.ts";
import { Pump, type Send, type Source } from "./pump.ts";

/** The channel from a process to the broker of its group. */
export interface BrokerChannel {
  readonly send: Send<ToBroker>;
  /** Sets the receiver of the broker's messages. */
  readonly onMessage: (receive: (message: FromBroker) => void) => void;
}

/** The maximum time that `close` waits for messages to reach the broker, in milliseconds. */
const GOODBYE_MS = 1000;

/**
 * Shares feeds among the processes of a group, one of which is the broker. Entries stay in the memory of
 * these processes and are therefore not encrypted, even for feeds that are not public.
 */
export class GroupBus implements ProcessBus {
  private readonly observer: BusObserver;
  private readonly pump: Pump<ToBroker>;
  private readonly memberships = new Map<number, GroupMembership>();
  private readonly leaving = new Set<Promise<void>>();
  private readonly beat: Source<ToBroker>;
  private isBeatDue = false;
  private isAnswered = true;
  private isConnected: boolean | undefined;
  private timer: NodeJS.Timeout | undefined;
  private periodMs = 0;
  private count = 0;

  constructor(channel: BrokerChannel, observer: BusObserver) {
    this.observer = observer;
    this.pump = new Pump(channel.send);
    this.beat = { next: () => this.nextBeat() };
    channel.onMessage((message) => this.receive(message));
  }

  get feeds(): { readonly joined: number; readonly led: number } {
    const led = [...this.memberships.values()].filter((membership) => membership.isLeading).length;
    return { joined: this.memberships.size, led };
  }

  join(feed: FeedName, member: FeedMember): FeedMembership {
    const number = ++this.count;
    const { observer } = this;
    const wake = () => this.pump.wake(membership);
    const membership: GroupMembership = new GroupMembership(feed, member, { number, observer, wake });
    this.memberships.set(number, membership);
    this.keepTime();
    // deferred, so that the member has its membership before the first callback
    queueMicrotask(wake);
    return {
      publish: (entry, fence, kind) => membership.publish(entry, fence, kind),
      interval: (ms) => {
        membership.interval(ms);
        this.keepTime();
      },
      leave: () => this.leave(number, membership),
    };
  }

  /** Leaves all feeds. */
  async close(): Promise<void> {
    for (const [number, membership] of this.memberships) void this.leave(number, membership);
    const all = Promise.all(this.leaving);
    const late = new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref());
    await Promise.race([all, late]);
    this.pump.stop();
  }

  private leave(number: number, membership: GroupMembership): Promise<void> {
    this.memberships.delete(number);
    this.keepTime();
    const left = membership.leave();
    this.leaving.add(left);
    return left.finally(() => this.leaving.delete(left));
  }

  /** Sends heartbeats as often as the shortest lease requires. */
  private keepTime(): void {
    const leases = [...this.memberships.values()].map(({ leaseMs }) => leaseMs);
    const periodMs = leases.length === 0 ? 0 : Math.min(...leases) / BEATS;
    if (periodMs === this.periodMs) return;
    this.periodMs = periodMs;
    clearInterval(this.timer);
    if (periodMs > 0) this.timer = setInterval(() => this.tick(), periodMs);
  }

  private tick(): void {
    const memberships = this.isAnswered ? [] : [...this.memberships.values()];
    const alone = memberships.filter((membership) => membership.silence(this.periodMs));
    if (alone.length > 0) this.connected(false);
    this.isAnswered = false;
    this.isBeatDue = true;
    this.pump.wake(this.beat);
  }

  private connected(isConnected: boolean): void {
    if (isConnected === this.isConnected) return;
    this.isConnected = isConnected;
    this.observer.connected(
      isConnected,
      isConnected ? undefined : new Error("the primary process is silent"),
    );
  }

  private nextBeat(): ToBroker | undefined {
    if (!this.isBeatDue) return undefined;
    this.isBeatDue = false;
    return { type: "beat" };
  }

  private receive(message: FromBroker): void {
    this.isAnswered = true;
    this.connected(true);
    for (const membership of this.memberships.values()) membership.heard();
    if (message.type !== "beat") this.memberships.get(message.membership)?.receive(message);
  }
}
