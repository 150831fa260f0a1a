import type { BrokerFeed, KeptEntry, Participant } from "./broker-feed.ts";
import type { FromBroker } from "./group-messages.ts";
import type { Source } from "./pump.ts";

/** The process of a membership. */
export interface MembershipOwner {
  /** How many signs of life it has given. */
  readonly beats: number;
  /** It has let a lease lapse, and has given no sign of life since. */
  readonly isLate: boolean;
  lapsed(): void;
  /** Sends what a membership has to say. */
  wake(membership: BrokerMembership): void;
}

/** What a process is to be told of who polls: a fence to lead with, or to follow. */
type Role = { readonly fence: number | undefined };

/**
 * The place of one process in a feed, as the broker sees it: where it is in what is kept,
 * and what it has not been told yet.
 */
export class BrokerMembership implements Participant, Source<FromBroker> {
  /** The number of the last entry that it was sent. */
  position = 0;
  /** It gets nothing before the next window. */
  isWaiting = false;
  readonly feed: BrokerFeed;
  private readonly number: number;
  private readonly peer: MembershipOwner;
  private hasStarted = false;
  private role: Role | undefined;
  private published: { readonly id: number; readonly isCurrent: boolean } | undefined;
  private sending: { readonly entry: KeptEntry; part: number } | undefined;

  constructor(number: number, peer: MembershipOwner, feed: BrokerFeed) {
    this.number = number;
    this.peer = peer;
    this.feed = feed;
  }

  /** How many signs of life its process has given. */
  get beats(): number {
    return this.peer.beats;
  }

  /** Its process has let a lease lapse, and has given no sign of life since. */
  get isLate(): boolean {
    return this.peer.isLate;
  }

  lapsed(): void {
    this.peer.lapsed();
  }

  goTo(position: number): void {
    this.position = position;
  }

  waitForWindow(position: number): void {
    this.position = position;
    this.sending = undefined;
    this.isWaiting = true;
  }

  /** Begins at the window with this number, if it waits for one. */
  startAt(number: number): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.position = number - 1;
  }

  /** @param fence the one to lead with; undefined for following */
  tell(fence: number | undefined): void {
    this.role = { fence };
    this.wake();
  }

  answer(id: number, isCurrent: boolean): void {
    this.published = { id, isCurrent };
    this.wake();
  }

  wake(): void {
    this.peer.wake(this);
  }

  /**
   * Who is to follow hears it at once; who is to lead gets first what others have found,
   * and then hears of its own entries.
   */
  next(): FromBroker | undefined {
    const { number: membership, role } = this;
    if (role !== undefined && role.fence === undefined && this.hasStarted) {
      this.role = undefined;
      return { type: "follow", membership };
    }
    const part = this.nextPart();
    if (part !== undefined) return part;
    if (!this.hasStarted) {
      this.hasStarted = true;
      return { type: "started", membership };
    }
    if (role?.fence !== undefined) {
      this.role = undefined;
      return { type: "lead", membership, fence: role.fence };
    }
    const { published } = this;
    this.published = undefined;
    return published && { type: "published", membership, ...published };
  }

  private nextPart(): FromBroker | undefined {
    if (this.isWaiting) return undefined;
    if (this.sending === undefined) {
      const entry = this.feed.entryAfter(this.position, this);
      if (entry === undefined) return undefined;
      this.sending = { entry, part: 0 };
    }
    const { entry, part } = this.sending;
    const isLast = part === entry.parts.length - 1;
    if (isLast) {
      this.position = entry.number;
      this.sending = undefined;
    } else {
      this.sending.part++;
    }
    return {
      type: "entry",
      membership: this.number,
      kind: entry.kind,
      part,
      isLast,
      data: entry.parts[part] ?? "",
    };
  }
}
