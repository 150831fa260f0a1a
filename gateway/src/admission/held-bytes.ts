import { Code, type ConnectError } from "@connectrpc/connect";
import type { BodyHold } from "../call/call.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import { type Linked, LinkedList } from "./linked-list.ts";
import { retryInfo } from "./refused.ts";

/** When to call again, in milliseconds: about as long as a large message takes to arrive and be served. */
const RETRY_MS = 1000;

/** What a call holds of its request. */
export interface Hold extends BodyHold {
  /** Nothing is held any more. */
  release(): void;
}

/**
 * A request: a class, since there is one for each call. Those that a client holds are in the
 * order in which their bytes came.
 */
class HeldRequest implements Hold, Linked<HeldRequest> {
  readonly client: string;
  bytes = 0;
  /** Ends the request, as long as it has not arrived. */
  fail: ((error: ConnectError) => void) | undefined;
  before: HeldRequest | undefined;
  behind: HeldRequest | undefined;
  /** What its client has, while it is held. */
  share: Share | undefined;
  private readonly all: HeldBytes;

  constructor(all: HeldBytes, client: string) {
    this.all = all;
    this.client = client;
  }

  add(bytes: number): void {
    this.all.add(this, bytes);
  }

  arriving(fail: (error: ConnectError) => void): void {
    this.fail = fail;
  }

  arrived(): void {
    this.fail = undefined;
  }

  release(): void {
    this.all.remove(this);
  }
}

/** What one client has. */
interface Share {
  readonly held: LinkedList<HeldRequest>;
  // biome-ignore lint/plugin: the sum of what is held
  bytes: number;
}

/**
 * The bytes of single request messages that are in memory, of all calls: as many calls as may run, each with
 * the largest message there may be, would be more than the process has. What is beyond the limit is taken
 * from whoever has most of it: of the requests that have not arrived yet, the one whose last bytes are the
 * oldest. What streams of a client send passes through and is not counted.
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
  add(held: HeldRequest, bytes: number): void {
    this.makeRoom(held.client, bytes);
    const share = held.share ?? this.shareOf(held.client);
    // to the end of the order
    if (held.share !== undefined) share.held.remove(held);
    share.held.push(held);
    held.share = share;
    this.count(share, held, bytes);
  }

  /** Safe to call twice. */
  remove(held: HeldRequest): void {
    const { share } = held;
    if (share === undefined) return;
    this.count(share, held, -held.bytes);
    share.held.remove(held);
    held.share = undefined;
    if (share.held.first === undefined) this.shares.delete(held.client);
  }

  private shareOf(client: string): Share {
    const known = this.shares.get(client);
    if (known !== undefined) return known;
    const share = { held: new LinkedList<HeldRequest>(), bytes: 0 };
    this.shares.set(client, share);
    return share;
  }

  private count(share: Share, held: HeldRequest, bytes: number): void {
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

  /**
   * Ends a request of the client that has most, and more than `atLeast`;
   * false where there is none that could be ended.
   */
  private takeFromLargest(atLeast: number): boolean {
    let [most, oldest]: [number, HeldRequest | undefined] = [atLeast, undefined];
    for (const { held, bytes } of this.shares.values()) {
      const first = bytes > most ? firstArriving(held) : undefined;
      if (first !== undefined) [most, oldest] = [bytes, first];
    }
    if (oldest === undefined) return false;
    this.remove(oldest);
    oldest.fail?.(tooMany(this.limits.heldRequestBytes));
    return true;
  }
}

function firstArriving(requests: LinkedList<HeldRequest>): HeldRequest | undefined {
  let held = requests.first;
  while (held !== undefined && (held.fail === undefined || held.bytes === 0)) held = held.behind;
  return held;
}

function tooMany(limit: number): ConnectError {
  const text = `requests take more bytes than the limit heldRequestBytes, ${limit}; try again later`;
  return gatewayError("OVERLOADED", text, Code.Unavailable, [retryInfo(RETRY_MS)]);
}
