import type { FeedMember, FeedName } from "connect-rest-runtime/internal";
import type { BusObserver } from "./bus-options.ts";
import { type FromBroker, PART_BYTES, type ToBroker } from "./group-messages.ts";
import { leaseOf } from "./lease.ts";
import { ALONE, Membership } from "./membership.ts";
import type { Outgoing } from "./outbox.ts";
import type { Source } from "./pump.ts";

/** The options of a membership. */
export interface GroupMembershipOptions {
  /** The number of the membership within the process. */
  readonly number: number;
  readonly observer: BusObserver;
  /** Called when there is something to send. */
  readonly wake: () => void;
}

/** The broker's messages to a single membership. */
type FromBrokerToMembership = Exclude<FromBroker, { readonly type: "beat" }>;

/**
 * The membership of one process in a feed that a group of processes shares. The broker chooses the process
 * that polls, and sends that process's entries to all others. If the broker sends no heartbeat for longer
 * than a lease, each process polls independently.
 */
export class GroupMembership extends Membership implements Source<ToBroker> {
  /** Resolves when the broker knows that the membership has left, or when nothing more can be sent. */
  readonly left: Promise<void>;
  private readonly options: GroupMembershipOptions;
  /** Messages to send before entries; only the newest message of each kind is sent. */
  private readonly notes = new Map<ToBroker["type"], ToBroker>();
  private intervalMs: number;
  private silentMs = 0;
  private isSettling = false;
  private readonly onLeft: () => void;
  /** Entries that arrive before the member has started. */
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
   * Handles a period without messages from the broker.
   *
   * @param ms the time since the last call in milliseconds
   * @returns whether the membership now works without the broker
   */
  silence(ms: number): boolean {
    this.silentMs += ms;
    if (this.silentMs <= this.leaseMs) return false;
    this.reader.start([]);
    if (this.fence === undefined) this.lead(ALONE);
    return true;
  }

  /** Handles a heartbeat of the broker. */
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
    // the last message has been sent
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

  /**
   * Returns the next part of the first waiting entry. Only one part is in transit at a time. With a new
   * fence, sending restarts with the first part.
   */
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
