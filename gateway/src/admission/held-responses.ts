import { Code } from "@connectrpc/connect";
import { gatewayError } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import { clientKey } from "./client-key.ts";
import { type Refused, retryInfo } from "./refused.ts";

/** When to call again, in milliseconds: about as long as a large message takes to be read. */
const RETRY_MS = 1000;

/** For how long a response is not read, in milliseconds, before it makes room for others to the same client. */
const UNREAD_MS = 1000;

/** What a response holds until its client has read it. */
export interface ResponseHold {
  /**
   * Counts bytes that are about to be sent. Where there are too many, responses of others who have more, and do not read
   * them, are cut first.
   *
   * @returns why they may not be sent, undefined if they may: RESOURCE_EXHAUSTED where the client has half of
   * `heldResponseBytes`, UNAVAILABLE beyond all of it
   */
  add(bytes: number): Refused | undefined;
  /** The client has read some of it. */
  wasRead(): void;
  /** All that was added has been read, or is dropped. */
  release(): void;
}

/** A response that is held; in the order in which they were last read. */
interface Held {
  readonly client: Share;
  readonly cut: () => void;
  // biome-ignore lint/plugin: changes while the response is sent
  bytes: number;
  /** By `performance.now()`. */
  // biome-ignore lint/plugin: changes while the response is sent
  readAt: number;
}

/** What one client has. */
interface Share {
  readonly held: Set<Held>;
  // biome-ignore lint/plugin: the sum of what is held
  bytes: number;
}

/**
 * The bytes of responses that wait in memory for their clients to read them: a message of a unary call, a message of each
 * stream. What is beyond the limit is taken from whoever has most of it, the response first that has not been read for the
 * longest time, so that those who do not read, or read a little now and then, keep nobody out. Pages are shared by all who
 * ask for them, and are not counted.
 */
export class HeldResponses {
  private readonly limits: Pick<Limits, "heldResponseBytes">;
  private readonly onCut: () => void;
  private readonly now: () => number;
  private readonly shares = new Map<string, Share>();
  private total = 0;

  /** @param onCut notified of each response that is cut to make room */
  constructor(
    limits: Pick<Limits, "heldResponseBytes">,
    onCut: () => void,
    now: () => number = () => performance.now(),
  ) {
    this.limits = limits;
    this.onCut = onCut;
    this.now = now;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.total;
  }

  /**
   * Begins to count for one response to a client's address.
   *
   * @param cut ends the response; `release` may be called later, or at once
   */
  begin(address: string, cut: () => void): ResponseHold {
    const client = clientKey(address);
    let held: Held | undefined;
    const drop = () => {
      if (held !== undefined) this.remove(client, held);
      held = undefined;
    };
    return {
      add: (bytes) => {
        const refused = this.makeRoom(client, bytes);
        if (refused !== undefined) return refused;
        held ??= this.hold(client, () => {
          drop();
          cut();
        });
        this.count(held, bytes);
        return undefined;
      },
      wasRead: () => {
        if (held === undefined) return;
        held.readAt = this.now();
        // to the end of the order
        held.client.held.delete(held);
        held.client.held.add(held);
      },
      release: drop,
    };
  }

  private hold(client: string, cut: () => void): Held {
    const share = this.shares.get(client) ?? { held: new Set(), bytes: 0 };
    this.shares.set(client, share);
    const held = { client: share, cut, bytes: 0, readAt: this.now() };
    share.held.add(held);
    return held;
  }

  private count(held: Held, bytes: number): void {
    held.bytes += bytes;
    held.client.bytes += bytes;
    this.total += bytes;
  }

  private remove(client: string, held: Held): void {
    this.count(held, -held.bytes);
    held.client.held.delete(held);
    if (held.client.held.size === 0) this.shares.delete(client);
  }

  private makeRoom(client: string, bytes: number): Refused | undefined {
    const { heldResponseBytes: limit } = this.limits;
    const share = this.shares.get(client);
    // one is always sent, however large
    while (share !== undefined && share.bytes > 0 && share.bytes + bytes > limit / 2) {
      if (!this.cutFirst(share, this.now() - UNREAD_MS)) return tooManyOfClient(limit);
    }
    while (this.total > 0 && this.total + bytes > limit) {
      if (!this.cutFirst(this.largestShare((share?.bytes ?? 0) + bytes))) return tooMany(limit);
    }
    return undefined;
  }

  /** The client that has most, and more than `atLeast`. */
  private largestShare(atLeast: number): Share | undefined {
    let most: Share | undefined;
    for (const share of this.shares.values()) {
      if (share.bytes > (most?.bytes ?? atLeast)) most = share;
    }
    return most;
  }

  /** Cuts what a client has not read for the longest time, if that was last read before `before`. */
  private cutFirst(share: Share | undefined, before: number = Number.POSITIVE_INFINITY): boolean {
    const [first] = share?.held ?? [];
    if (first === undefined || first.readAt > before) return false;
    this.onCut();
    first.cut();
    return true;
  }
}

function tooManyOfClient(limit: number): Refused {
  const text = `responses that the client has not read take more than half of the limit heldResponseBytes, ${limit} bytes; read them, and try again later`;
  const error = gatewayError("CALLS_EXCEEDED", text, Code.ResourceExhausted, [retryInfo(RETRY_MS)]);
  return { limit: "heldResponseBytes", error };
}

function tooMany(limit: number): Refused {
  const text = `responses that clients have not read take more than the limit heldResponseBytes, ${limit} bytes; try again later`;
  const error = gatewayError("OVERLOADED", text, Code.Unavailable, [retryInfo(RETRY_MS)]);
  return { limit: "heldResponseBytes", error };
}
