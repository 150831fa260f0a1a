import { Code, type ConnectError } from "@connectrpc/connect";
import type { BodyHold } from "../call/call.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import { retryInfo } from "./refused.ts";

/** When to call again, in milliseconds: about as long as a large message takes to arrive and be served. */
const RETRY_MS = 1000;

/** What a call holds of its request. */
export interface Hold extends BodyHold {
  /** Nothing is held any more. */
  release(): void;
}

/** A request that is held; of a client's in the order in which their bytes came. */
interface Held {
  // biome-ignore lint/plugin: changes while the request arrives
  bytes: number;
  /** Ends the request, as long as it has not arrived. */
  // biome-ignore lint/plugin: changes when the request has arrived
  fail: ((error: ConnectError) => void) | undefined;
}

/** A class, since there is one for each call. */
class HeldRequest implements Hold, Held {
  bytes = 0;
  fail: ((error: ConnectError) => void) | undefined;
  private readonly all: HeldBytes;
  private readonly client: string;

  constructor(all: HeldBytes, client: string) {
    this.all = all;
    this.client = client;
  }

  add(bytes: number): void {
    this.all.add(this.client, this, bytes);
  }

  arriving(fail: (error: ConnectError) => void): void {
    this.fail = fail;
  }

  arrived(): void {
    this.fail = undefined;
  }

  release(): void {
    this.all.release(this.client, this);
  }
}

/** What one client has. */
interface Share {
  readonly held: Set<Held>;
  // biome-ignore lint/plugin: the sum of what is held
  bytes: number;
}

/**
 * The bytes of single request messages that are in memory, of all calls: as many calls as may run, each with the largest
 * message there may be, would be more than the process has. What is beyond the limit is taken from whoever has most of it: of the
 * requests that have not arrived yet, the one whose last bytes are the oldest. What streams of a client send passes through
 * and is not counted.
 */
export class HeldBytes {
  private readonly limits: Pick<Limits, "heldRequestBytes">;
  private readonly shares = new Map<string, Share>();
  private total = 0;

  constructor(limits: Pick<Limits, "heldRequestBytes">) {
    this.limits = limits;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.total;
  }

  /** Begins to count for one call of a client. */
  begin(client: string): Hold {
    return new HeldRequest(this, client);
  }

  /** @throws ConnectError where there is no room */
  add(client: string, held: Held, bytes: number): void {
    this.makeRoom(client, bytes);
    const share = this.shares.get(client) ?? { held: new Set(), bytes: 0 };
    this.shares.set(client, share);
    // to the end of the order
    share.held.delete(held);
    share.held.add(held);
    this.count(share, held, bytes);
  }

  release(client: string, held: Held): void {
    const share = this.shares.get(client);
    if (share === undefined || !share.held.delete(held)) return;
    this.count(share, held, -held.bytes);
    if (share.held.size === 0) this.shares.delete(client);
  }

  private count(share: Share, held: Held, bytes: number): void {
    held.bytes += bytes;
    share.bytes += bytes;
    this.total += bytes;
  }

  private makeRoom(client: string, bytes: number): void {
    const { heldRequestBytes: limit } = this.limits;
    const ofClient = (this.shares.get(client)?.bytes ?? 0) + bytes;
    if (ofClient > limit / 2) {
      const text = `the client's requests take ${ofClient} bytes, more than half of the limit heldRequestBytes, ${limit}; try again later`;
      throw gatewayError("CALLS_EXCEEDED", text, Code.ResourceExhausted, [retryInfo(RETRY_MS)]);
    }
    while (this.total + bytes > limit) {
      if (!this.takeFromLargest(ofClient)) throw tooMany(limit);
    }
  }

  /** Ends a request of the client that has most, and more than `atLeast`; false where there is none that could be ended. */
  private takeFromLargest(atLeast: number): boolean {
    let [most, owner, oldest]: [number, string, Held | undefined] = [atLeast, "", undefined];
    for (const [client, { held, bytes }] of this.shares) {
      const first = bytes > most ? firstArriving(held) : undefined;
      if (first !== undefined) [most, owner, oldest] = [bytes, client, first];
    }
    if (oldest === undefined) return false;
    this.release(owner, oldest);
    oldest.fail?.(tooMany(this.limits.heldRequestBytes));
    return true;
  }
}

function firstArriving(requests: Iterable<Held>): Held | undefined {
  for (const held of requests) if (held.fail !== undefined && held.bytes > 0) return held;
  return undefined;
}

function tooMany(limit: number): ConnectError {
  const text = `requests take more bytes than the limit heldRequestBytes, ${limit}; try again later`;
  return gatewayError("OVERLOADED", text, Code.Unavailable, [retryInfo(RETRY_MS)]);
}
