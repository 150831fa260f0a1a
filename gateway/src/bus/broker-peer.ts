import type { FeedEntryKind } from "connect-rest-runtime/internal";
import type { BrokerFeed } from "./broker-feed.ts";
import { BrokerMembership, type MembershipOwner } from "./broker-membership.ts";
import type { FromBroker, ToBroker } from "./group-messages.ts";
import { MAX_ENTRY_BYTES } from "./outbox.ts";
import { Pump, type Send, type Source } from "./pump.ts";

/** The options of a process of the group. */
export interface PeerOptions {
  readonly send: Send<FromBroker>;
  /** Returns the feed with this name, and creates the feed if necessary. */
  readonly feed: (name: string, intervalMs: number) => BrokerFeed;
  readonly publish: (
    membership: BrokerMembership,
    fence: number,
    kind: FeedEntryKind,
    parts: readonly string[],
  ) => boolean;
}

/** The maximum length of an entry in base64. */
const MAX_CHARACTERS = Math.ceil(MAX_ENTRY_BYTES / 3) * 4;

/** One process of the group, from the broker's point of view. */
export class BrokerPeer implements MembershipOwner {
  /** The number of heartbeats that the process has sent. */
  beats = 0;
  /** Whether the process has let a lease lapse, and has sent no heartbeat since. */
  isLate = false;
  private readonly options: PeerOptions;
  private readonly pump: Pump<FromBroker>;
  private readonly memberships = new Map<number, BrokerMembership>();
  /** The entries of which only some parts have arrived. */
  private readonly coming = new Map<number, { readonly parts: string[]; size: number }>();
  private readonly beat: Source<FromBroker>;
  private isBeatDue = false;
  private isGone = false;

  constructor(options: PeerOptions) {
    this.options = options;
    this.pump = new Pump(options.send);
    this.beat = { next: () => this.nextBeat() };
  }

  lapsed(): void {
    this.isLate = true;
  }

  wake(membership: BrokerMembership): void {
    if (!this.isGone) this.pump.wake(membership);
  }

  receive(message: ToBroker): void {
    if (this.isGone) return;
    this.beats++;
    if (this.isLate) this.revive();
    if (message.type === "beat") {
      this.isBeatDue = true;
      this.pump.wake(this.beat);
    } else if (message.type === "join") {
      this.join(message);
    } else {
      const membership = this.memberships.get(message.membership);
      if (membership !== undefined) this.hear(membership, message);
    }
  }

  /** Handles the exit of the process: other processes may poll its feeds immediately. */
  close(): void {
    this.isGone = true;
    this.pump.stop();
    for (const number of [...this.memberships.keys()]) this.leave(number);
  }

  private join({ membership: number, feed: name, intervalMs }: ToBroker & { readonly type: "join" }): void {
    if (this.memberships.has(number)) return;
    const feed = this.options.feed(name, intervalMs);
    const membership = new BrokerMembership(number, this, feed);
    this.memberships.set(number, membership);
    feed.join(membership);
  }

  private hear(
    membership: BrokerMembership,
    message: Exclude<ToBroker, { readonly type: "join" | "beat" }>,
  ): void {
    switch (message.type) {
      case "leave":
        this.leave(message.membership);
        break;
      case "interval":
        membership.feed.interval(message.intervalMs);
        break;
      case "settle":
        membership.feed.settle(membership);
        break;
      case "entry":
        this.take(membership, message);
        break;
    }
  }

  private leave(number: number): void {
    const membership = this.memberships.get(number);
    this.memberships.delete(number);
    this.coming.delete(number);
    membership?.feed.leave(membership);
  }

  private take(membership: BrokerMembership, message: ToBroker & { readonly type: "entry" }): void {
    const { membership: number, part, data, isLast, id, fence, kind } = message;
    const coming = part === 0 ? { parts: [], size: 0 } : this.coming.get(number);
    if (coming === undefined || part !== coming.parts.length) return;
    coming.size += data.length;
    // a correct process never sends such an entry
    if (coming.size > MAX_CHARACTERS) {
      this.coming.delete(number);
      return;
    }
    coming.parts.push(data);
    this.coming.set(number, coming);
    if (!isLast) return;
    this.coming.delete(number);
    membership.answer(id, this.options.publish(membership, fence, kind, coming.parts));
  }

  private revive(): void {
    this.isLate = false;
    for (const { feed } of this.memberships.values()) feed.revived();
  }

  private nextBeat(): FromBroker | undefined {
    if (!this.isBeatDue) return undefined;
    this.isBeatDue = false;
    return { type: "beat" };
  }
}
