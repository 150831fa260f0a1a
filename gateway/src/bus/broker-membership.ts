import type { BrokerFeed, KeptEntry, Participant } from "./broker-feed.ts";
import type { FromBroker } from "./group-messages.ts";
import type { Source } from "./pump.ts";

/** The process to which a membership belongs. */
export interface MembershipOwner {
  /** The number of heartbeats that the process has sent. */
  readonly beats: number;
  /** Whether the process has let a lease lapse, and has sent no heartbeat since. */
  readonly isLate: boolean;
  lapsed(): void;
  /** Sends the pending messages of a membership. */
  wake(membership: BrokerMembership): void;
}

/** The role of a process: the fence with which the process leads, or undefined if the process follows. */
type Role = { readonly fence: number | undefined };

/**
 * The membership of one process in a feed, from the broker's point of view: its position in the retained
 * entries, and its pending notifications.
 */
export class BrokerMembership implements Participant, Source<FromBroker> {
  /** The number of the last entry that was sent to the process. */
  position = 0;
  /** Whether the process receives nothing until the next window. */
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

  /** The number of heartbeats of the process. */
  get beats(): number {
    return this.peer.beats;
  }

  /** Whether the process has let a lease lapse, and has sent no heartbeat since. */
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

  /** Starts at the window with this number, if the membership waits for a window. */
  startAt(number: number): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.position = number - 1;
  }

  /** @param fence the fence with which the process leads; undefined if the process follows */
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
   * Returns the next message. A follower learns its role immediately. A leader first receives the entries of
   * other processes, then its role, then the results for its own entries.
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
