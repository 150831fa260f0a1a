import type { FeedBus, FeedEntryKind, FeedMember, FeedMembership, FeedName } from "../call/feed-bus.ts";

interface Kept {
  readonly bytes: Uint8Array;
  readonly kind: FeedEntryKind;
}

interface Channel {
  kept: Kept[];
  fence: bigint;
  leader: MemoryMembership | undefined;
  readonly memberships: Set<MemoryMembership>;
}

/** A bus for several simulated processes. The test controls the leases. */
export class MemoryBus {
  readonly names: FeedName[] = [];
  private readonly channels = new Map<string, Channel>();

  /** The bus of one process. */
  get bus(): FeedBus {
    return { join: (name, member) => this.join(name, member) };
  }

  /** Takes the lease from the member that holds it, and gives it to another member if there is one. */
  takeOver(): void {
    for (const channel of this.channels.values()) {
      const { leader } = channel;
      if (leader === undefined) continue;
      const next = [...channel.memberships].find((membership) => membership !== leader);
      if (next === undefined) continue;
      this.lead(channel, next);
      leader.member.follow();
    }
  }

  /** All stored entries, in order of publication. */
  get entries(): readonly Uint8Array[] {
    return [...this.channels.values()].flatMap(({ kept }) => kept.map(({ bytes }) => bytes));
  }

  private join(name: FeedName, member: FeedMember): FeedMembership {
    this.names.push(name);
    const channel = this.channels.get(name.key) ?? {
      kept: [],
      fence: 0n,
      leader: undefined,
      memberships: new Set(),
    };
    this.channels.set(name.key, channel);
    const membership = new MemoryMembership(channel, member, () => {
      const [next] = channel.memberships;
      if (channel.leader === undefined && next !== undefined) this.lead(channel, next);
    });
    channel.memberships.add(membership);
    member.start(channel.kept.map(({ bytes }) => bytes));
    if (channel.leader === undefined) this.lead(channel, membership);
    return membership;
  }

  private lead(channel: Channel, membership: MemoryMembership): void {
    channel.leader = membership;
    channel.fence++;
    membership.member.lead(channel.fence);
  }
}

class MemoryMembership implements FeedMembership {
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
    for (const membership of [...channel.memberships]) {
      if (membership !== this) membership.member.entry(bytes);
    }
    return true;
  }

  interval(): void {
    // leases do not expire here, since the test ends them
  }

  async leave(): Promise<void> {
    const { channel } = this;
    channel.memberships.delete(this);
    if (channel.leader !== this) return;
    channel.leader = undefined;
    this.onLeft();
  }
}
