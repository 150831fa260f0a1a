import type { FeedEntryKind, FeedMember, FeedName } from "connect-rest-runtime/internal";
import type { BusObserver } from "./bus-options.ts";
import type { Connection } from "./connection.ts";
import { leaseOf, MAX_LEASE_MS, MIN_LEASE_MS } from "./lease.ts";
import { ALONE, Membership } from "./membership.ts";
import { MAX_ENTRY_BYTES } from "./outbox.ts";
import { LEASE, PUBLISH, READ, RELEASE } from "./scripts.ts";
import { SEALING_BYTES, type Sealing } from "./sealing.ts";

/** The maximum size of an entry that is read, in bytes. */
const MAX_SEALED_BYTES = MAX_ENTRY_BYTES + SEALING_BYTES;
/** The limits on the number and the total size of entries per read. */
const READ_ENTRIES = 128;
const READ_BYTES = 32 * 1024 * 1024;
/** The time after the end of a lease over which members spread their requests for it, in milliseconds. */
const SPREAD_MS = 100;

const KINDS: readonly string[] = ["window", "news", "poll"] satisfies readonly FeedEntryKind[];

/** The options of a membership. */
export interface MembershipOptions {
  readonly connection: Connection;
  readonly observer: BusObserver;
  readonly sealing: Sealing;
  readonly prefix: string;
  /** Identifies the membership among all memberships in all processes. */
  readonly owner: string;
}

/** An entry that was read from the stream. */
interface Incoming {
  readonly id: string;
  readonly kind: FeedEntryKind;
  readonly bytes: Uint8Array;
}

/**
 * The membership of one process in a feed that is shared over Redis. The lease holder polls and publishes,
 * with a fence that Redis checks on each write; all others read. If the bus is unavailable for longer than a
 * lease, each process polls for itself.
 */
export class RedisMembership extends Membership {
  private readonly options: MembershipOptions;
  private readonly channel: string;
  private readonly keys: { readonly lease: string; readonly state: string; readonly stream: string };
  private leaseMs: number;
  /** An upper bound for the remaining lease of the leader, in milliseconds. */
  private otherMs = MAX_LEASE_MS;
  /** The last fence of this member, which stays valid if no other process has led since. */
  private lastFence = "";
  private lastId = "0-0";
  private timer: NodeJS.Timeout | undefined;
  private aloneTimer: NodeJS.Timeout | undefined;
  /** Whether a step is running; another step may be due after it. */
  private isStepping = false;
  private isDue = false;

  constructor(name: FeedName, member: FeedMember, options: MembershipOptions) {
    super(member, options.observer);
    this.options = options;
    this.leaseMs = leaseOf(name.intervalMs);
    const base = `${options.prefix}:{${name.key}}`;
    this.channel = base;
    this.keys = { lease: `${base}:lease`, state: `${base}:state`, stream: `${base}:entries` };
  }

  /** Joins the feed. */
  begin(): void {
    this.options.connection.subscribe(this.channel, this.soon).catch(() => undefined);
    if (!this.options.connection.isConnected) this.disconnected();
    this.soon();
  }

  /** Handles a reconnection: reads missed entries, and determines the leader again. */
  connected(): void {
    clearTimeout(this.aloneTimer);
    this.aloneTimer = undefined;
    this.soon();
  }

  /**
   * Handles the loss of the connection. The leader continues to poll; the other members start to poll once a
   * lease would have lapsed.
   */
  disconnected(): void {
    clearTimeout(this.timer);
    if (this.isOver || this.aloneTimer !== undefined) return;
    this.aloneTimer = setTimeout(
      () => {
        this.reader.start([]);
        if (this.fence === undefined) this.lead(ALONE);
      },
      Math.min(this.leaseMs, this.otherMs),
    );
  }

  protected override wake(): void {
    this.soon();
  }

  protected override sealed(kind: FeedEntryKind, entry: Uint8Array): Uint8Array {
    return this.options.sealing.seal(kind, entry);
  }

  interval(ms: number): void {
    this.leaseMs = leaseOf(ms);
  }

  async leave(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    clearTimeout(this.aloneTimer);
    const { connection, owner } = this.options;
    this.outbox.clear(true);
    await connection.unsubscribe(this.channel).catch(() => undefined);
    await connection.run(RELEASE, [this.keys.lease], [owner, this.channel]).catch(() => undefined);
  }

  /** Schedules a step, to run now or after the running step. */
  private readonly soon = (): void => {
    this.isDue = true;
    if (this.isStepping || this.isOver) return;
    this.isStepping = true;
    void this.steps();
  };

  private async steps(): Promise<void> {
    while (this.isDue && !this.isOver && this.options.connection.isConnected) {
      this.isDue = false;
      try {
        await this.step();
      } catch {
        // the connection reports its own errors; a command that the server rejected is retried
        this.isDue = false;
        this.again(this.leaseMs / 3);
      }
    }
    // no step can become due between the loop's last check and this line, because both run in the same turn
    this.isStepping = false;
  }

  /** Reads the entries of other processes, determines the leader, and writes pending entries. */
  private async step(): Promise<void> {
    await this.read();
    const left = await this.lease();
    if (left !== undefined) {
      // a random delay prevents all processes from requesting the lease at the same time
      this.again(left + 1 + Math.random() * SPREAD_MS);
      return;
    }
    await this.send();
    this.again(this.leaseMs / 3);
  }

  private again(ms: number): void {
    clearTimeout(this.timer);
    if (!this.isOver) this.timer = setTimeout(this.soon, ms);
  }

  /**
   * Takes or extends the lease. If another process holds the lease, returns its remaining time in
   * milliseconds.
   */
  private async lease(): Promise<number | undefined> {
    const { connection, owner } = this.options;
    const reply = await connection.run(
      LEASE,
      [this.keys.lease, this.keys.state],
      [owner, this.lastFence, String(this.leaseMs)],
    );
    if (this.isOver) return undefined;
    if (typeof reply === "number") {
      this.yield();
      const left = Math.max(0, Math.min(reply, MAX_LEASE_MS));
      // some of the lease has already passed, so a full lease may be longer than the remaining time
      this.otherMs = Math.max(MIN_LEASE_MS, 2 * left);
      return left;
    }
    const fence = String(reply);
    this.lastFence = fence;
    if (this.fence !== BigInt(fence)) this.lead(BigInt(fence));
    return undefined;
  }

  private async send(): Promise<void> {
    const { connection, observer, owner } = this.options;
    const { lease, state, stream } = this.keys;
    for (let entry = this.outbox.first; entry !== undefined && !this.isOver; entry = this.outbox.first) {
      const { kind, bytes } = entry;
      const args = [owner, this.lastFence, String(this.leaseMs), kind, Buffer.from(bytes), this.channel];
      const reply = await connection.run(PUBLISH, [lease, state, stream], args);
      if (reply !== 1) {
        this.yield();
        this.again(0);
        return;
      }
      observer.sent();
      this.outbox.remove(entry);
    }
  }

  private async read(): Promise<void> {
    const entries: Incoming[] = [];
    for (;;) {
      const args = [this.lastId, String(READ_ENTRIES), String(MAX_SEALED_BYTES), String(READ_BYTES)];
      const reply = await this.options.connection.run(READ, [this.keys.stream], args);
      if (!Array.isArray(reply) || reply.length === 0 || this.isOver) break;
      for (const each of reply) {
        const entry = this.opened(each);
        if (entry === undefined) continue;
        if (this.reader.hasStarted) {
          this.reader.take(entry.bytes);
        } else {
          entries.push(entry);
        }
      }
    }
    if (!this.isOver && !this.reader.hasStarted) this.start(entries);
  }

  /** Decodes an entry from another process; returns undefined if the entry was dropped. */
  private opened(reply: unknown): Incoming | undefined {
    const { observer, owner, sealing } = this.options;
    const [id, from, kind, data] = Array.isArray(reply) ? reply : [];
    this.lastId = String(id);
    if (String(from) === owner) return undefined;
    if (data === 0) {
      observer.dropped("oversized");
    } else if (!(data instanceof Uint8Array) || !KINDS.includes(String(kind))) {
      observer.dropped("malformed");
    } else {
      const bytes = sealing.open(String(kind) as FeedEntryKind, data);
      if (bytes !== undefined) return { id: this.lastId, kind: String(kind) as FeedEntryKind, bytes };
      observer.dropped("unreadable");
    }
    return undefined;
  }

  /** Passes the retained entries to the member: the latest window, the news after it, and the latest poll. */
  private start(entries: readonly Incoming[]): void {
    const window = entries.findLastIndex(({ kind }) => kind === "window");
    const poll = entries.findLast(({ kind }) => kind === "poll");
    const kept = entries.filter((entry, index) =>
      entry.kind === "poll" ? entry === poll : window >= 0 && index >= window,
    );
    this.reader.start(kept.map(({ bytes }) => bytes));
  }
}
