import type { FeedBus, FeedEntryKind, FeedMember, FeedName, FeedSeat } from "../call/feed-bus.ts";

interface Kept {
  readonly bytes: Uint8Array;
  readonly kind: FeedEntryKind;
}

interface Channel {
  kept: Kept[];
  fence: bigint;
  leader: MemorySeat | undefined;
  readonly seats: Set<MemorySeat>;
}

/** A bus of several processes within one, whose leases a test takes away. */
export class MemoryBus {
  readonly names: FeedName[] = [];
  private readonly channels = new Map<string, Channel>();

  /** The bus as one process has it. */
  get bus(): FeedBus {
    return { join: (name, member) => this.join(name, member) };
  }

  /** Takes the lease from who polls, and gives it to another one where there is one. */
  takeOver(): void {
    for (const channel of this.channels.values()) {
      const { leader } = channel;
      if (leader === undefined) continue;
      const next = [...channel.seats].find((seat) => seat !== leader);
      if (next === undefined) continue;
      this.lead(channel, next);
      leader.member.follow();
    }
  }

  /** All that is kept, in the order in which it was published. */
  get entries(): readonly Uint8Array[] {
    return [...this.channels.values()].flatMap(({ kept }) => kept.map(({ bytes }) => bytes));
  }

  private join(name: FeedName, member: FeedMember): FeedSeat {
    this.names.push(name);
    const channel = this.channels.get(name.key) ?? {
      kept: [],
      fence: 0n,
      leader: undefined,
      seats: new Set(),
    };
    this.channels.set(name.key, channel);
    const seat = new MemorySeat(channel, member, () => {
      const [next] = channel.seats;
      if (channel.leader === undefined && next !== undefined) this.lead(channel, next);
    });
    channel.seats.add(seat);
    member.start(channel.kept.map(({ bytes }) => bytes));
    if (channel.leader === undefined) this.lead(channel, seat);
    return seat;
  }

  private lead(channel: Channel, seat: MemorySeat): void {
    channel.leader = seat;
    channel.fence++;
    seat.member.lead(channel.fence);
  }
}

class MemorySeat implements FeedSeat {
  readonly member: FeedMember;
  private readonly channel: Channel;
  private readonly onLeft: () => void;

  constructor(channel: Channel, member: FeedMember, onLeft: () => void) {
    this.channel = channel;
    this.member = member;
    this.onLeft = onLeft;
  }

  async publish(bytes: Uint8Array, fence: bigint, kind: FeedEntryKind): Promise<boolean> {
    const { channel } = this;
    if (fence !== channel.fence) return false;
    const before = channel.kept.filter((entry) => kind === "news" || entry.kind !== "poll");
    channel.kept = kind === "window" ? [{ bytes, kind }] : [...before, { bytes, kind }];
    for (const seat of [...channel.seats]) if (seat !== this) seat.member.entry(bytes);
    return true;
  }

  interval(): void {
    // leases end when the test says so
  }

  async leave(): Promise<void> {
    const { channel } = this;
    channel.seats.delete(this);
    if (channel.leader !== this) return;
    channel.leader = undefined;
    this.onLeft();
  }
}
