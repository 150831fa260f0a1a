import type { FeedEntryKind } from "connect-rest-runtime/internal";

/** The largest entry that is shared, in bytes, before it is sealed. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

/** How many entries wait at most, and how many bytes. */
const MAX_ENTRIES = 256;
const MAX_BYTES = 32 * 1024 * 1024;

/** An entry that is to be published. */
export interface Outgoing {
  readonly kind: FeedEntryKind;
  readonly bytes: Uint8Array;
  /** Told whether the fence was good; true for what was given up. */
  readonly done: (isCurrent: boolean) => void;
}

/**
 * Entries that wait for the bus, oldest first. Beyond what may wait, the oldest is given up;
 * the next window has its items.
 */
export class Outbox {
  private readonly entries: Outgoing[] = [];
  private readonly onDropped: () => void;
  private bytes = 0;

  /** @param onDropped told of each entry that is given up */
  constructor(onDropped: () => void) {
    this.onDropped = onDropped;
  }

  get first(): Outgoing | undefined {
    return this.entries[0];
  }

  get size(): number {
    return this.entries.length;
  }

  add(entry: Outgoing): void {
    // only the newest says when the last poll was
    if (entry.kind === "poll") this.remove(this.entries.find(({ kind }) => kind === "poll"));
    this.entries.push(entry);
    this.bytes += entry.bytes.length;
    while (this.entries.length > 1 && (this.entries.length > MAX_ENTRIES || this.bytes > MAX_BYTES)) {
      this.onDropped();
      this.remove(this.first);
    }
  }

  /** Takes away an entry that was sent, or that nobody wants any more. */
  remove(entry: Outgoing | undefined, isCurrent = true): void {
    const index = entry === undefined ? -1 : this.entries.indexOf(entry);
    if (entry === undefined || index < 0) return;
    this.entries.splice(index, 1);
    this.bytes -= entry.bytes.length;
    entry.done(isCurrent);
  }

  /** Gives up all. */
  clear(isCurrent: boolean): void {
    while (this.first !== undefined) this.remove(this.first, isCurrent);
  }
}
