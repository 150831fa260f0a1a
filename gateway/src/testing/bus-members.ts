import type { FeedBus } from "connect-rest-runtime";
import type { FeedMember, FeedMembership, FeedName } from "connect-rest-runtime/internal";
import { expect } from "vitest";
import type { BusObserver } from "../bus/bus-options.ts";

/** A lease of it lasts for longer than a machine pauses. */
export const FEED: FeedName = { key: "feed", isPublic: true, intervalMs: 30_000 };
/** For those who wait for the end of one. */
export const SHORT: FeedName = { ...FEED, intervalMs: 1000 };

/** What an observer was told. */
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

/** One process's part in a feed. An entry that begins with "bad" is none to it. */
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

/** Expects what is read to come about. */
export const eventually = (read: () => unknown) => expect.poll(read, POLL);

/** The one of them that polls, as soon as it is one. */
export async function leading(...members: readonly Member[]): Promise<Member> {
  await eventually(() => members.filter((member) => member.isLeading).length).toBe(1);
  const leader = members.find((member) => member.isLeading);
  if (leader === undefined) throw new Error("nobody leads");
  return leader;
}
