import type { FeedMember } from "connect-rest-runtime/internal";
import type { BusObserver } from "./bus-options.ts";

/** Hands entries on to a member, counts them, and drops those that it rejects. */
export class EntryReader {
  private readonly member: FeedMember;
  private readonly observer: BusObserver;
  private isStarted = false;

  constructor(member: FeedMember, observer: BusObserver) {
    this.member = member;
    this.observer = observer;
  }

  /** Whether the member knows what the bus keeps. */
  get hasStarted(): boolean {
    return this.isStarted;
  }

  /** Tells the member once what the bus keeps. */
  start(entries: readonly Uint8Array[]): void {
    if (this.isStarted) return;
    this.isStarted = true;
    try {
      this.member.start(entries);
      for (const _ of entries) this.observer.received();
    } catch {
      // one by one, so that a bad entry costs only itself; those that the member has
      // taken already are nothing new to it
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
