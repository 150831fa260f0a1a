import type { FeedMember } from "connect-rest-runtime/internal";
import type { BusObserver } from "./bus-options.ts";

/** Passes entries to a member, counts them, and drops entries that the member rejects. */
export class EntryReader {
  private readonly member: FeedMember;
  private readonly observer: BusObserver;
  private isStarted = false;

  constructor(member: FeedMember, observer: BusObserver) {
    this.member = member;
    this.observer = observer;
  }

  /** Whether the member has received the entries that the bus retains. */
  get hasStarted(): boolean {
    return this.isStarted;
  }

  /** Passes the retained entries to the member, once. */
  start(entries: readonly Uint8Array[]): void {
    if (this.isStarted) return;
    this.isStarted = true;
    try {
      this.member.start(entries);
      for (const _ of entries) this.observer.received();
    } catch {
      // one at a time, so that an invalid entry does not affect others; the member ignores entries that it
      // has already received
      for (const entry of entries) this.take(entry);
    }
  }

  take(entry: Uint8Array): void {
    try {
      this.member.entry(entry);
      this.observer.received();
    } catch {
      this.observer.dropped("invalid");
    }
  }
}
