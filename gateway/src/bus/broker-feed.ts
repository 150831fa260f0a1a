import type { FeedEntryKind } from "connect-rest-runtime/internal";
import { BEATS } from "./group-messages.ts";
import { leaseOf } from "./lease.ts";

/** A process's place in a feed: where it is in what is kept, and what it is to be told. */
export interface Participant {
  /** The number of the last entry that it was sent. */
  readonly position: number;
  /** It gets nothing before the next window. */
  readonly isWaiting: boolean;
  /** How many signs of life its process has given. */
  readonly beats: number;
  /** Its process has let a lease lapse, and has given no sign of life since. */
  readonly isLate: boolean;
  /** To be called when its process has let a lease lapse. */
  lapsed(): void;
  /** Lets it go on with the entry after this position. */
  goTo(position: number): void;
  /** The same, but it gets nothing until there is a window. */
  waitForWindow(position: number): void;
  /** Lets it begin at the window with this number, if it waits for one. */
  startAt(number: number): void;
  /** @param fence the one to lead with; undefined for following */
  tell(fence: number | undefined): void;
  /** There may be something to send to it. */
  wake(): void;
}

/** An entry that is kept. */
export interface KeptEntry {
  /** Higher than those of all entries before. */
  readonly number: number;
  readonly from: Participant;
  readonly kind: FeedEntryKind;
  /** In base64. */
  readonly parts: readonly string[];
  /** The memory that it takes. */
  readonly size: number;
}

/** What a feed of a broker needs of it. */
export interface BrokerFeedOptions {
  readonly nextFence: () => number;
  /** Told when nobody has taken part for so long that what is kept is of no use any more. */
  readonly onUnused: () => void;
}

/** The longest wait of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * One feed that the processes of a group share: who polls, and what was found. Of entries it keeps the last
 * two windows and what came since, and those who read are each where they are: nobody waits for a slow one,
 * and nothing is queued for it.
 */
export class BrokerFeed {
  private readonly options: BrokerFeedOptions;
  private readonly memberships = new Set<Participant>();
  private kept: readonly KeptEntry[] = [];
  /** The memory that entries take. */
  size = 0;
  private last = 0;
  private intervalMs: number;
  private leader: Participant | undefined;
  private fence = 0;
  /** What was kept was given up: who joins or is behind starts with the next window. */
  private isCut = false;
  /** Signs of life of who polls when it was last looked, and how often there was none since. */
  private beats = 0;
  private missed = 0;
  private leaseTimer: NodeJS.Timeout | undefined;
  private unusedTimer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number, options: BrokerFeedOptions) {
    this.intervalMs = intervalMs;
    this.options = options;
  }

  /** Whether somebody takes part. */
  get isUsed(): boolean {
    return this.memberships.size > 0;
  }

  join(membership: Participant): void {
    clearTimeout(this.unusedTimer);
    this.memberships.add(membership);
    const window = this.kept.findLastIndex(({ kind }) => kind === "window");
    const first = window < 0 ? this.kept.find(({ kind }) => kind === "poll") : this.kept[window];
    membership.goTo(first === undefined ? this.last : first.number - 1);
    if (this.isCut) this.waitForWindow(membership);
    if (this.leader === undefined) this.elect();
    membership.wake();
  }

  leave(membership: Participant): void {
    this.memberships.delete(membership);
    if (this.leader === membership) this.elect();
    if (this.memberships.size > 0) return;
    // whoever joins later than that has to poll at once anyway, and starts with what it finds
    const ms = Math.min(2 * this.intervalMs, MAX_TIMER_MS);
    this.unusedTimer = setTimeout(() => this.options.onUnused(), ms).unref();
  }

  /** Ends its timers. */
  close(): void {
    clearInterval(this.leaseTimer);
    clearTimeout(this.unusedTimer);
  }

  interval(ms: number): void {
    const before = leaseOf(this.intervalMs);
    this.intervalMs = ms;
    if (this.leader !== undefined && leaseOf(ms) !== before) this.watchLeader();
  }

  /** Tells a membership once more whether it polls. */
  settle(membership: Participant): void {
    membership.tell(this.leader === membership ? this.fence : undefined);
  }

  /** To be called when a process that let its lease lapse shows signs of life again. */
  revived(): void {
    if (this.leader === undefined) this.elect();
  }

  /** The first entry after a number that is not a membership's own; undefined where there is none yet. */
  entryAfter(number: number, membership: Participant): KeptEntry | undefined {
    return this.kept.find((entry) => entry.number > number && entry.from !== membership);
  }

  /** Keeps an entry for the others. False for one of a process that has lost its lease. */
  publish(membership: Participant, fence: number, kind: FeedEntryKind, parts: readonly string[]): boolean {
    if (this.leader !== membership || this.fence !== fence) return false;
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    const entry: KeptEntry = { number: ++this.last, from: membership, kind, parts, size };
    this.keep([...this.needed(kind), entry]);
    if (kind === "window") this.isCut = false;
    for (const other of this.memberships) {
      if (kind === "window") other.startAt(entry.number);
      if (other !== membership) other.wake();
    }
    return true;
  }

  /** Gives up what is kept, for want of memory. Those who have read everything do not notice. */
  forget(): void {
    const behind = [...this.memberships].filter(
      (membership) => this.entryAfter(membership.position, membership) !== undefined,
    );
    this.keep([]);
    this.isCut = true;
    for (const membership of behind) this.waitForWindow(membership);
  }

  /**
   * What somebody may still need once there is an entry of this kind: two windows with what came since,
   * and one poll.
   */
  private needed(kind: FeedEntryKind): readonly KeptEntry[] {
    if (kind === "poll") return this.kept.filter((each) => each.kind !== "poll");
    if (kind === "news") return this.kept;
    return this.kept.slice(
      Math.max(
        this.kept.findLastIndex((each) => each.kind === "window"),
        0,
      ),
    );
  }

  private keep(entries: readonly KeptEntry[]): void {
    this.kept = entries;
    this.size = entries.reduce((sum, entry) => sum + entry.size, 0);
  }

  /** Has the process that polls publish a window, by giving it a new fence: it begins each with one. */
  private waitForWindow(membership: Participant): void {
    const { leader } = this;
    const isAsked = [...this.memberships].some((each) => each.isWaiting);
    membership.waitForWindow(this.last);
    if (leader === undefined || isAsked) return;
    this.fence = this.options.nextFence();
    leader.tell(this.fence);
  }

  private elect(): void {
    clearInterval(this.leaseTimer);
    this.leader = [...this.memberships].find((membership) => !membership.isLate);
    if (this.leader === undefined) return;
    this.fence = this.options.nextFence();
    this.missed = 0;
    this.beats = this.leader.beats;
    this.watchLeader();
    this.leader.tell(this.fence);
  }

  private watchLeader(): void {
    clearInterval(this.leaseTimer);
    this.leaseTimer = setInterval(() => this.look(), leaseOf(this.intervalMs) / BEATS).unref();
  }

  /** Counts beats and does not measure time, because this process may have been paused itself. */
  private look(): void {
    const { leader } = this;
    if (leader === undefined) return;
    this.missed = leader.beats === this.beats ? this.missed + 1 : 0;
    this.beats = leader.beats;
    if (this.missed <= BEATS) return;
    leader.lapsed();
    leader.tell(undefined);
    this.elect();
  }
}
