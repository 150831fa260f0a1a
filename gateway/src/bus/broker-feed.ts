import type { FeedEntryKind } from "connect-rest-runtime/internal";
import { BEATS } from "./group-messages.ts";
import { leaseOf } from "./lease.ts";

/** A process's membership in a feed: its position in the retained entries, and its pending notifications. */
export interface Participant {
  /** The number of the last entry that was sent to the process. */
  readonly position: number;
  /** Whether the process receives nothing until the next window. */
  readonly isWaiting: boolean;
  /** The number of heartbeats of the process. */
  readonly beats: number;
  /** Whether the process has let a lease lapse, and has sent no heartbeat since. */
  readonly isLate: boolean;
  /** Called when the process has let a lease lapse. */
  lapsed(): void;
  /** Continues with the first entry after this position. */
  goTo(position: number): void;
  /** Sets the position, and sends nothing until the next window. */
  waitForWindow(position: number): void;
  /** Starts at the window with this number, if the membership waits for a window. */
  startAt(number: number): void;
  /** @param fence the fence with which the process leads; undefined if the process follows */
  tell(fence: number | undefined): void;
  /** Called when there may be something to send. */
  wake(): void;
}

/** A retained entry. */
export interface KeptEntry {
  /** The sequence number, which increases with each entry. */
  readonly number: number;
  readonly from: Participant;
  readonly kind: FeedEntryKind;
  /** In base64. */
  readonly parts: readonly string[];
  /** The memory that the entry occupies, in bytes. */
  readonly size: number;
}

/** The options of a feed in the broker. */
export interface BrokerFeedOptions {
  readonly nextFence: () => number;
  /** Called when the feed has had no members for so long that its entries are obsolete. */
  readonly onUnused: () => void;
}

/** The maximum delay of a timer in Node.js. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A feed that the processes of a group share. The feed chooses the process that polls, and retains the
 * entries since the second-latest window. Every reader has a separate position, so a slow reader does not
 * delay others, and nothing is queued for it.
 */
export class BrokerFeed {
  private readonly options: BrokerFeedOptions;
  private readonly memberships = new Set<Participant>();
  private kept: readonly KeptEntry[] = [];
  /** The memory of the retained entries, in bytes. */
  size = 0;
  private last = 0;
  private intervalMs: number;
  private leader: Participant | undefined;
  private fence = 0;
  /**
   * Whether entries were dropped for lack of memory. New and lagging members then start with the next window.
   */
  private isCut = false;
  /** The leader's heartbeat count at the last check, and the number of checks since it last increased. */
  private beats = 0;
  private missed = 0;
  private leaseTimer: NodeJS.Timeout | undefined;
  private unusedTimer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number, options: BrokerFeedOptions) {
    this.intervalMs = intervalMs;
    this.options = options;
  }

  /** Whether the feed has members. */
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
    // after that time, the entries are obsolete: a process that joins has to poll immediately anyway
    const ms = Math.min(2 * this.intervalMs, MAX_TIMER_MS);
    this.unusedTimer = setTimeout(() => this.options.onUnused(), ms).unref();
  }

  /** Stops the timers of the feed. */
  close(): void {
    clearInterval(this.leaseTimer);
    clearTimeout(this.unusedTimer);
  }

  interval(ms: number): void {
    const before = leaseOf(this.intervalMs);
    this.intervalMs = ms;
    if (this.leader !== undefined && leaseOf(ms) !== before) this.watchLeader();
  }

  /** Notifies a membership again of its role. */
  settle(membership: Participant): void {
    membership.tell(this.leader === membership ? this.fence : undefined);
  }

  /** Called when a process that let its lease lapse sends heartbeats again. */
  revived(): void {
    if (this.leader === undefined) this.elect();
  }

  /**
   * Returns the first entry after a number that another membership has published; undefined if there is none.
   */
  entryAfter(number: number, membership: Participant): KeptEntry | undefined {
    return this.kept.find((entry) => entry.number > number && entry.from !== membership);
  }

  /** Retains an entry for the other processes. Returns false if the process has lost its lease. */
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

  /** Drops the retained entries for lack of memory. Members that have read everything are not affected. */
  forget(): void {
    const behind = [...this.memberships].filter(
      (membership) => this.entryAfter(membership.position, membership) !== undefined,
    );
    this.keep([]);
    this.isCut = true;
    for (const membership of behind) this.waitForWindow(membership);
  }

  /**
   * Returns the retained entries that members still need when an entry of this kind is added. This keeps
   * everything since the second-latest window, and one poll.
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

  /** Gives the leader a new fence, which makes the leader publish a window. */
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

  /**
   * Checks whether the leader still sends heartbeats. Heartbeats are counted instead of timed, because the
   * broker's process may itself have been paused.
   */
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
