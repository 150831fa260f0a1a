import { Code, type ConnectError } from "@connectrpc/connect";
import { FairShare } from "connect-rest-runtime/internal";
import type { BodyReservation } from "../call/call.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import { retryInfo } from "./limit-rejection.ts";
import { type Linked, LinkedList } from "./linked-list.ts";

/** The retry delay, in milliseconds: about the time that a large message takes to arrive and be served. */
const RETRY_MS = 1000;

/** The memory reserved for the request of a call. */
export interface Reservation extends BodyReservation {
  /** Releases everything. */
  release(): void;
}

/**
 * A request that holds bytes. A class is cheaper than closures, and one object is created for each call. The
 * requests of a client are ordered by the arrival of their latest bytes.
 */
class HeldRequest implements Reservation, Linked<HeldRequest> {
  readonly client: string;
  bytes = 0;
  /** Ends the request; set until the whole request has arrived. */
  fail: ((error: ConnectError) => void) | undefined;
  before: HeldRequest | undefined;
  behind: HeldRequest | undefined;
  /** The list of the client's requests; set while this request holds bytes. */
  list: LinkedList<HeldRequest> | undefined;
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

/**
 * Limits the total memory of request messages, because the maximum number of calls times the maximum message
 * size would exceed the memory of the process. Over the limit, the client that holds the most bytes loses one
 * of its incomplete requests: the one whose latest bytes arrived first. Messages of client streams pass
 * through and are not counted.
 */
export class HeldBytes {
  private readonly limits: Pick<Limits, "heldRequestBytes">;
  private readonly lists = new Map<string, LinkedList<HeldRequest>>();
  private readonly share: FairShare;

  constructor(limits: Pick<Limits, "heldRequestBytes">) {
    this.limits = limits;
    this.share = new FairShare(() => limits.heldRequestBytes);
  }

  /** The bytes currently held. */
  get held(): number {
    return this.share.total;
  }

  /** Starts counting the bytes of a client's call. */
  begin(client: string): Reservation {
    return new HeldRequest(this, client);
  }

  /** @throws ConnectError if the limit is reached */
  add(held: HeldRequest, bytes: number): void {
    this.makeRoom(held.client, bytes);
    const list = held.list ?? this.listOf(held.client);
    // move to the end of the order
    if (held.list !== undefined) list.remove(held);
    list.push(held);
    held.list = list;
    held.bytes += bytes;
    this.share.add(held.client, bytes);
  }

  /** Removes a request; may be called twice. */
  remove(held: HeldRequest): void {
    const { list, client, bytes } = held;
    if (list === undefined) return;
    this.share.remove(client, bytes);
    held.bytes = 0;
    list.remove(held);
    held.list = undefined;
    if (list.first === undefined) this.lists.delete(client);
  }

  private listOf(client: string): LinkedList<HeldRequest> {
    const known = this.lists.get(client);
    if (known !== undefined) return known;
    const list = new LinkedList<HeldRequest>();
    this.lists.set(client, list);
    return list;
  }

  private makeRoom(client: string, bytes: number): void {
    const { heldRequestBytes: limit } = this.limits;
    const { share } = this;
    const ofClient = share.heldBy(client) + bytes;
    if (ofClient > limit / 2) {
      const text = `the client's requests take ${ofClient} bytes, more than half of the limit heldRequestBytes, ${limit}; try again later`;
      throw gatewayError("CALLS_EXCEEDED", text, Code.ResourceExhausted, [retryInfo(RETRY_MS)]);
    }
    while (!share.hasRoom(client, bytes)) {
      if (!this.takeBack(client, bytes)) throw tooMany(limit);
    }
  }

  /** Ends a request of the client that holds the most bytes; returns false if no request can be ended. */
  private takeBack(client: string, bytes: number): boolean {
    const arriving = (other: string) => firstArriving(this.lists.get(other));
    const loser = this.share.loser(client, bytes, (other) => arriving(other) !== undefined);
    const oldest = loser === undefined ? undefined : arriving(loser);
    if (oldest === undefined) return false;
    this.remove(oldest);
    oldest.fail?.(tooMany(this.limits.heldRequestBytes));
    return true;
  }
}

function firstArriving(requests: LinkedList<HeldRequest> | undefined): HeldRequest | undefined {
  let held = requests?.first;
  while (held !== undefined && (held.fail === undefined || held.bytes === 0)) held = held.behind;
  return held;
}

function tooMany(limit: number): ConnectError {
  const text = `requests take more bytes than the limit heldRequestBytes, ${limit}, has left; try again later`;
  return gatewayError("OVERLOADED", text, Code.Unavailable, [retryInfo(RETRY_MS)]);
}
