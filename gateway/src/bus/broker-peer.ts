import type { FeedEntryKind } from "connect-rest-runtime/internal";
import type { BrokerFeed } from "./broker-feed.ts";
import { BrokerSeat, type SeatOwner } from "./broker-seat.ts";
import type { FromBroker, ToBroker } from "./group-messages.ts";
import { MAX_ENTRY_BYTES } from "./outbox.ts";
import { Pump, type Send, type Source } from "./pump.ts";

/** What a process of the group may do with feeds. */
export interface PeerOptions {
  readonly send: Send<FromBroker>;
  /** The feed of a name, which is made where there is none yet. */
  readonly feed: (name: string, intervalMs: number) => BrokerFeed;
  readonly publish: (
    seat: BrokerSeat,
    fence: number,
    kind: FeedEntryKind,
    parts: readonly string[],
  ) => boolean;
}

/** The longest entry in base64. */
const MAX_CHARACTERS = Math.ceil(MAX_ENTRY_BYTES / 3) * 4;

/** One process of the group, as its broker sees it. */
export class BrokerPeer implements SeatOwner {
  /** How many signs of life it has given. */
  beats = 0;
  /** It has let a lease lapse, and has given no sign of life since. */
  isLate = false;
  private readonly options: PeerOptions;
  private readonly pump: Pump<FromBroker>;
  private readonly seats = new Map<number, BrokerSeat>();
  /** Entries of which parts have come. */
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

  wake(seat: BrokerSeat): void {
    if (!this.isGone) this.pump.wake(seat);
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
      const seat = this.seats.get(message.seat);
      if (seat !== undefined) this.hear(seat, message);
    }
  }

  /** The process has ended: whatever it polls another one may poll at once. */
  close(): void {
    this.isGone = true;
    this.pump.stop();
    for (const number of [...this.seats.keys()]) this.leave(number);
  }

  private join({ seat: number, feed: name, intervalMs }: ToBroker & { readonly type: "join" }): void {
    if (this.seats.has(number)) return;
    const feed = this.options.feed(name, intervalMs);
    const seat = new BrokerSeat(number, this, feed);
    this.seats.set(number, seat);
    feed.join(seat);
  }

  private hear(seat: BrokerSeat, message: Exclude<ToBroker, { readonly type: "join" | "beat" }>): void {
    switch (message.type) {
      case "leave":
        this.leave(message.seat);
        break;
      case "interval":
        seat.feed.interval(message.intervalMs);
        break;
      case "settle":
        seat.feed.settle(seat);
        break;
      case "entry":
        this.take(seat, message);
        break;
    }
  }

  private leave(number: number): void {
    const seat = this.seats.get(number);
    this.seats.delete(number);
    this.coming.delete(number);
    seat?.feed.leave(seat);
  }

  private take(seat: BrokerSeat, message: ToBroker & { readonly type: "entry" }): void {
    const { seat: number, part, data, isLast, id, fence, kind } = message;
    const coming = part === 0 ? { parts: [], size: 0 } : this.coming.get(number);
    if (coming === undefined || part !== coming.parts.length) return;
    coming.size += data.length;
    // its author says that such a one is not sent
    if (coming.size > MAX_CHARACTERS) {
      this.coming.delete(number);
      return;
    }
    coming.parts.push(data);
    this.coming.set(number, coming);
    if (!isLast) return;
    this.coming.delete(number);
    seat.answer(id, this.options.publish(seat, fence, kind, coming.parts));
  }

  private revive(): void {
    this.isLate = false;
    for (const { feed } of this.seats.values()) feed.revived();
  }

  private nextBeat(): FromBroker | undefined {
    if (!this.isBeatDue) return undefined;
    this.isBeatDue = false;
    return { type: "beat" };
  }
}
