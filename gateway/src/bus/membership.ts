import type { FeedEntryKind, FeedMember, FeedMembership } from "connect-rest-runtime/internal";
import type { BusObserver } from "./bus-options.ts";
import { EntryReader } from "./entry-reader.ts";
import { MAX_ENTRY_BYTES, Outbox } from "./outbox.ts";

/** The fence of a process that polls without the bus. */
export const ALONE = 0n;

/** The membership of one process in a shared feed: the code that all buses share. */
export abstract class Membership implements FeedMembership {
  protected readonly member: FeedMember;
  protected readonly observer: BusObserver;
  protected readonly reader: EntryReader;
  protected readonly outbox: Outbox;
  /** The fence from the bus, or ALONE; set while this process polls. */
  protected fence: bigint | undefined;
  protected isOver = false;

  constructor(member: FeedMember, observer: BusObserver) {
    this.member = member;
    this.observer = observer;
    this.reader = new EntryReader(member, observer);
    this.outbox = new Outbox(() => observer.dropped("overflow"));
  }

  /** Whether this process polls. */
  get isLeading(): boolean {
    return this.fence !== undefined;
  }

  publish(entry: Uint8Array, fence: bigint, kind: FeedEntryKind): Promise<boolean> {
    if (this.isOver || fence !== this.fence) return Promise.resolve(false);
    if (entry.length > MAX_ENTRY_BYTES) {
      this.observer.dropped("oversized");
      return Promise.resolve(true);
    }
    return new Promise((done) => {
      this.outbox.add({ kind, bytes: this.sealed(kind, entry), done });
      this.wake();
    });
  }

  abstract interval(ms: number): void;

  abstract leave(): Promise<void>;

  /** Called when there is something to send. */
  protected abstract wake(): void;

  /** Encodes an entry for the bus. */
  protected sealed(_kind: FeedEntryKind, entry: Uint8Array): Uint8Array {
    return entry;
  }

  protected lead(fence: bigint): void {
    if (this.isOver) return;
    this.fence = fence;
    this.member.lead(fence);
  }

  /** Stops polling, because another process polls. */
  protected yield(): void {
    if (this.fence === undefined) return;
    this.fence = undefined;
    // the new leader has seen the same items, or will see them in its next poll
    for (let left = this.outbox.size; left > 0; left--) this.observer.dropped("stale");
    this.outbox.clear(false);
    this.member.follow();
  }
}
