import type { FeedMember, FeedName } from "connect-rest-runtime/internal";
import type { BusObserver } from "./bus-options.ts";
import { type FromBroker, PART_BYTES, type ToBroker } from "./group-messages.ts";
import { leaseOf } from "./lease.ts";
import { ALONE, Membership } from "./membership.ts";
import type { Outgoing } from "./outbox.ts";
import type { Source } from "./pump.ts";

/** What a membership stands on. */
export interface GroupMembershipOptions {
  /** Tells it from other memberships of this process. */
  readonly number: number;
  readonly observer: BusObserver;
  /** Called when there is something to send. */
  readonly wake: () => void;
}

/** Told to a membership of its own. */
type FromBrokerToMembership = Exclude<FromBroker, { readonly type: "beat" }>;

/**
 * One process's place in a feed that is shared by a group of processes. The broker says who polls; what that
 * one publishes all others are sent. Without a sign of life from the broker for longer than a lease lasts,
 * each polls for itself.
 */
export class GroupMembership extends Membership implements Source<ToBroker> {
  /** Resolves when the broker was told that it has left, or nothing is sent any more. */
  readonly left: Promise<void>;
  private readonly options: GroupMembershipOptions;
  /** What is to be said before anything else, the newest of each kind. */
  private readonly notes = new Map<ToBroker["type"], ToBroker>();
  private intervalMs: number;
  private silentMs = 0;
  private isSettling = false;
  private readonly onLeft: () => void;
  /** Entries that come before the member has started. */
  private kept: Uint8Array[] = [];
  private coming: Buffer[] = [];
  private sending:
    | { readonly entry: Outgoing; readonly id: number; readonly fence: bigint; part: number }
    | undefined;
  private lastId = 0;

  constructor(name: FeedName, member: FeedMember, options: GroupMembershipOptions) {
    super(member, options.observer);
    this.options = options;
    this.intervalMs = name.intervalMs;
    ({ promise: this.left, resolve: this.onLeft } = Promise.withResolvers<void>());
    const { key: feed, intervalMs } = name;
    this.notes.set("join", { type: "join", membership: options.number, feed, intervalMs });
  }

  get leaseMs(): number {
    return leaseOf(this.intervalMs);
  }

  interval(ms: number): void {
    if (ms === this.intervalMs || this.isOver) return;
    this.intervalMs = ms;
    this.note({ type: "interval", membership: this.options.number, intervalMs: ms });
  }

  leave(): Promise<void> {
    if (this.isOver) return this.left;
    this.isOver = true;
    this.outbox.clear(true);
    this.note({ type: "leave", membership: this.options.number });
    return this.left;
  }

  /**
   * Nothing was heard of the broker for so long since it was asked last.
   *
   * @returns whether it does without it now
   */
  silence(ms: number): boolean {
    this.silentMs += ms;
    if (this.silentMs <= this.leaseMs) return false;
    this.reader.start([]);
    if (this.fence === undefined) this.lead(ALONE);
    return true;
  }

  /** The broker gives signs of life. */
  heard(): void {
    this.silentMs = 0;
    if (this.fence !== ALONE || this.isSettling) return;
    this.isSettling = true;
    this.note({ type: "settle", membership: this.options.number });
  }

  next(): ToBroker | undefined {
    for (const [type, note] of this.notes) {
      this.notes.delete(type);
      return note;
    }
    if (!this.isOver) return this.nextPart();
    // the last note was taken
    this.onLeft();
    return undefined;
  }

  receive(message: FromBrokerToMembership): void {
    if (this.isOver) return;
    switch (message.type) {
      case "entry":
        this.take(message);
        break;
      case "started":
        this.reader.start(this.kept);
        this.kept = [];
        break;
      case "lead":
        this.lead(BigInt(message.fence));
        break;
      case "follow":
        this.yield();
        break;
      case "published":
        this.published(message);
        break;
    }
  }

  private note(note: ToBroker): void {
    this.notes.set(note.type, note);
    this.options.wake();
  }

  protected override wake(): void {
    this.options.wake();
  }

  protected override lead(fence: bigint): void {
    if (fence !== ALONE) this.isSettling = false;
    if (fence === this.fence) return;
    super.lead(fence);
    this.wake();
  }

  protected override yield(): void {
    this.isSettling = false;
    super.yield();
  }

  private published({ id, isCurrent }: FromBroker & { readonly type: "published" }): void {
    const { sending } = this;
    if (sending?.id !== id) return;
    this.sending = undefined;
    if (isCurrent) {
      this.options.observer.sent();
      this.outbox.remove(sending.entry);
      this.options.wake();
    } else if (sending.fence === this.fence) {
      this.yield();
    } else {
      this.options.wake();
    }
  }

  /** A part of the entry that waits first; one at a time is on its way, and begins anew with a new fence. */
  private nextPart(): ToBroker | undefined {
    const { fence } = this;
    const { first: entry } = this.outbox;
    if (entry === undefined || fence === undefined || fence === ALONE) return undefined;
    if (this.sending?.entry !== entry || this.sending.fence !== fence) {
      this.sending = { entry, id: ++this.lastId, fence, part: 0 };
    }
    const { id, part } = this.sending;
    const from = part * PART_BYTES;
    if (part > 0 && from >= entry.bytes.length) return undefined;
    this.sending.part++;
    const data = Buffer.from(entry.bytes.subarray(from, from + PART_BYTES)).toString("base64");
    return {
      ...{ type: "entry", membership: this.options.number, id, fence: Number(fence), kind: entry.kind },
      ...{ part, isLast: from + PART_BYTES >= entry.bytes.length, data },
    };
  }

  private take({ part, isLast, data }: FromBroker & { readonly type: "entry" }): void {
    if (part === 0) this.coming = [];
    this.coming.push(Buffer.from(data, "base64"));
    if (!isLast) return;
    const entry = Buffer.concat(this.coming);
    this.coming = [];
    if (this.reader.hasStarted) {
      this.reader.take(entry);
    } else {
      this.kept.push(entry);
    }
  }
}
