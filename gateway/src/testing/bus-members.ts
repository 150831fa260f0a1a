import type { FeedBus } from "connect-rest-runtime";
import type { FeedMember, FeedMembership, FeedName } from "connect-rest-runtime/internal";
import { expect } from "vitest";
import type { BusObserver } from "../bus/bus-options.ts";

/** A feed with a long lease, which does not expire while a busy machine stalls. */
export const FEED: FeedName = { key: "feed", isPublic: true, intervalMs: 30_000 };
/** A feed with a short lease, for tests that wait until it expires. */
export const SHORT: FeedName = { ...FEED, intervalMs: 1000 };

/** An observer that records the notifications that it receives. */
export class Told implements BusObserver {
  readonly all: string[] = [];
  connected(isConnected: boolean): void {
    const text = isConnected ? "connected" : "away";
    if (this.all.findLast((each) => each === "connected" || each === "away") !== text) this.all.push(text);
  }
  sent(): void {
    this.all.push("sent");
  }
  received(): void {
    this.all.push("received");
  }
  dropped(reason: string): void {
    this.all.push(reason);
  }
  notShared(): void {
    this.all.push("not shared");
  }
  count(text: string): number {
    return this.all.filter((each) => each === text).length;
  }
}

/** A member of a feed in one process, which rejects entries that begin with "bad". */
export class Member implements FeedMember {
  readonly entries: string[] = [];
  readonly fences: bigint[] = [];
  readonly membership: FeedMembership;
  started: readonly string[] | undefined;
  fence: bigint | undefined;

  constructor(bus: FeedBus, feed: FeedName = FEED) {
    this.membership = bus.join(feed, this);
  }

  start(entries: readonly Uint8Array[]): void {
    const texts = entries.map((entry) => Buffer.from(entry).toString());
    if (texts.some((text) => text.startsWith("bad"))) throw new Error("no entry");
    this.started = texts;
    this.entries.push(...texts);
  }

  lead(fence: bigint): void {
    this.fence = fence;
    this.fences.push(fence);
  }

  follow(): void {
    this.fence = undefined;
  }

  entry(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString();
    if (text.startsWith("bad")) throw new Error("no entry");
    this.entries.push(text);
  }

  publish(text: string, kind: "window" | "news" | "poll" = "news"): Promise<boolean> {
    return this.membership.publish(Buffer.from(text), this.fence ?? -1n, kind);
  }

  get isLeading(): boolean {
    return this.fence !== undefined;
  }
}

const POLL = { timeout: 60_000, interval: 10 };

/** Polls a value until it meets the expectation. */
export const eventually = (read: () => unknown) => expect.poll(read, POLL);

/** Waits until exactly one of the members leads, and returns it. */
export async function leading(...members: readonly Member[]): Promise<Member> {
  await eventually(() => members.filter((member) => member.isLeading).length).toBe(1);
  const leader = members.find((member) => member.isLeading);
  if (leader === undefined) throw new Error("nobody leads");
  return leader;
}
