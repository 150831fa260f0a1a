import type { FeedEntryKind } from "connect-rest-runtime/internal";

/** The maximum size of a shared entry, in bytes, before encryption. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

/** The limits on the number and the total size of waiting entries. */
const MAX_ENTRIES = 256;
const MAX_BYTES = 32 * 1024 * 1024;

/** An entry to publish. */
export interface Outgoing {
  readonly kind: FeedEntryKind;
  readonly bytes: Uint8Array;
  /**
   * Called with true if the fence was still valid or the entry was dropped, and with false if the fence was
   * outdated.
   */
  readonly done: (isCurrent: boolean) => void;
}

/**
 * The entries that wait for the bus, oldest first. Over the limit, the oldest entry is dropped; the next
 * window contains its items.
 */
export class Outbox {
  private readonly entries: Outgoing[] = [];
  private readonly onDropped: () => void;
  private bytes = 0;

  /** @param onDropped called for each dropped entry */
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
    // a poll entry contains only the time of the last poll, so a new one replaces the earlier ones
    if (entry.kind === "poll") this.remove(this.entries.find(({ kind }) => kind === "poll"));
    this.entries.push(entry);
    this.bytes += entry.bytes.length;
    while (this.entries.length > 1 && (this.entries.length > MAX_ENTRIES || this.bytes > MAX_BYTES)) {
      this.onDropped();
      this.remove(this.first);
    }
  }

  /** Removes an entry that was sent or is no longer needed. */
  remove(entry: Outgoing | undefined, isCurrent = true): void {
    const index = entry === undefined ? -1 : this.entries.indexOf(entry);
    if (entry === undefined || index < 0) return;
    this.entries.splice(index, 1);
    this.bytes -= entry.bytes.length;
    entry.done(isCurrent);
  }

  /** Drops all entries. */
  clear(isCurrent: boolean): void {
    while (this.first !== undefined) this.remove(this.first, isCurrent);
  }
}
