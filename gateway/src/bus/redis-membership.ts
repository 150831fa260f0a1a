import type { FeedEntryKind, FeedMember, FeedName } from "connect-rest-runtime/internal";
import type { BusObserver } from "./bus-options.ts";
import type { Connection } from "./connection.ts";
import { leaseOf, MAX_LEASE_MS, MIN_LEASE_MS } from "./lease.ts";
import { ALONE, Membership } from "./membership.ts";
import { MAX_ENTRY_BYTES } from "./outbox.ts";
import { LEASE, PUBLISH, READ, RELEASE } from "./scripts.ts";
import { SEALING_BYTES, type Sealing } from "./sealing.ts";

/** The largest entry that is read, in bytes. */
const MAX_SEALED_BYTES = MAX_ENTRY_BYTES + SEALING_BYTES;
/** How many entries are read at a time, and how many bytes. */
const READ_ENTRIES = 128;
const READ_BYTES = 32 * 1024 * 1024;
/** Within which time after the end of a lease others ask for it, in milliseconds. */
const SPREAD_MS = 100;

const KINDS: readonly string[] = ["window", "news", "poll"] satisfies readonly FeedEntryKind[];

/** What a membership stands on. */
export interface MembershipOptions {
  readonly connection: Connection;
  readonly observer: BusObserver;
  readonly sealing: Sealing;
  readonly prefix: string;
  /** Tells this membership from all others. */
  readonly owner: string;
}

/** An entry as it is read. */
interface Incoming {
  readonly id: string;
  readonly kind: FeedEntryKind;
  readonly bytes: Uint8Array;
}

/**
 * One process's place in a feed that is shared over Redis. Whoever has the lease polls and publishes, with a
 * fence that is checked where entries are written; all others read. Without the bus for longer than a lease
 * lasts, each polls for itself, as without a bus.
 */
export class RedisMembership extends Membership {
  private readonly options: MembershipOptions;
  private readonly channel: string;
  private readonly keys: { readonly lease: string; readonly state: string; readonly stream: string };
  private leaseMs: number;
  /** How long the lease of whoever polls may last. */
  private otherMs = MAX_LEASE_MS;
  /** The fence that it had last, with which it can go on where nobody else has come. */
  private lastFence = "";
  private lastId = "0-0";
  private timer: NodeJS.Timeout | undefined;
  private aloneTimer: NodeJS.Timeout | undefined;
  /** A step runs, and another one has to follow. */
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

  /** Begins to take part. */
  begin(): void {
    this.options.connection.subscribe(this.channel, this.soon).catch(() => undefined);
    if (!this.options.connection.isConnected) this.disconnected();
    this.soon();
  }

  /** The connection is there again: what happened meanwhile is read, and who polls is settled anew. */
  connected(): void {
    clearTimeout(this.aloneTimer);
    this.aloneTimer = undefined;
    this.soon();
  }

  /** The connection is gone. Who polls goes on; the others do so as well when a lease would be over. */
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

  /** Has the next step made, now or behind the one that runs. */
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
        // the connection says so itself; what the server rejects is tried again
        this.isDue = false;
        this.again(this.leaseMs / 3);
      }
    }
    // nothing can become due between the loop's last look and this: both are in one turn
    this.isStepping = false;
  }

  /** Reads what others have written, finds out who polls, and writes what is to be written. */
  private async step(): Promise<void> {
    await this.read();
    const left = await this.lease();
    if (left !== undefined) {
      // at a random time after its end, so that not all processes ask for it at once
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

  /** Takes the lease, or keeps it. Returns how long another one has it, in milliseconds. */
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
      // it was renewed some time ago, when it lasted for longer
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

  /** An entry of another one, or undefined for one that is dropped. */
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

  /** Tells the member what the bus keeps: the newest window, the news behind it, and the newest poll. */
  private start(entries: readonly Incoming[]): void {
    const window = entries.findLastIndex(({ kind }) => kind === "window");
    const poll = entries.findLast(({ kind }) => kind === "poll");
    const kept = entries.filter((entry, index) =>
      entry.kind === "poll" ? entry === poll : window >= 0 && index >= window,
    );
    this.reader.start(kept.map(({ bytes }) => bytes));
  }
}
