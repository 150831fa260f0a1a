import { Code } from "@connectrpc/connect";
import { FairShare } from "connect-rest-runtime/internal";
import { clientKey } from "../call/client-key.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import type { Limits } from "../limits.ts";
import { retryInfo } from "./limit-rejection.ts";
import { type Linked, LinkedList } from "./linked-list.ts";

/** When to call again, in milliseconds: about as long as a large message takes to be read. */
const RETRY_MS = 1000;

/**
 * For how long a response is not read, in milliseconds, before it makes room for others to the same client.
 */
const UNREAD_MS = 1000;

/** What a response holds until its client has read it. */
export interface ResponseReservation {
  /**
   * Counts bytes that are about to be sent. Where there are too many, responses of others who have more, and
   * do not read them, are cut first.
   *
   * @returns why they may not be sent, undefined if they may: RESOURCE_EXHAUSTED where the client has half of
   * `heldResponseBytes`, UNAVAILABLE beyond all of it
   */
  add(bytes: number): LimitRejection | undefined;
  /** The client has read some of it. */
  wasRead(): void;
  /** All that was added has been read, or is dropped. */
  release(): void;
}

/**
 * A response: a class, since there is one for each call. Those that are held are in the
 * order in which they were last read.
 */
class HeldResponse implements ResponseReservation, Linked<HeldResponse> {
  before: HeldResponse | undefined;
  behind: HeldResponse | undefined;
  readonly client: string;
  bytes = 0;
  /** By `performance.now()`. */
  readAt = 0;
  /** What its client has, while it is held. */
  list: LinkedList<HeldResponse> | undefined;
  private readonly all: HeldResponses;
  private readonly onCut: () => void;

  constructor(all: HeldResponses, client: string, onCut: () => void) {
    this.all = all;
    this.client = client;
    this.onCut = onCut;
  }

  add(bytes: number): LimitRejection | undefined {
    return this.all.add(this, bytes);
  }

  wasRead(): void {
    this.all.wasRead(this);
  }

  release(): void {
    this.all.remove(this);
  }

  cut(): void {
    this.release();
    this.onCut();
  }
}

/**
 * The bytes of responses that wait in memory for their clients to read them: a message of a unary call, a
 * message of each stream. What is beyond the limit is taken from whoever has most of it, the response first
 * that has not been read for the longest time, so that those who do not read, or read a little now and then,
 * keep nobody out. Pages are shared by all who ask for them, and are not counted.
 */
export class HeldResponses {
  private readonly limits: Pick<Limits, "heldResponseBytes">;
  private readonly onCut: () => void;
  private readonly now: () => number;
  private readonly lists = new Map<string, LinkedList<HeldResponse>>();
  private readonly share: FairShare;

  /** @param onCut notified of each response that is cut to make room */
  constructor(
    limits: Pick<Limits, "heldResponseBytes">,
    onCut: () => void,
    now: () => number = () => performance.now(),
  ) {
    this.limits = limits;
    this.share = new FairShare(() => limits.heldResponseBytes);
    this.onCut = onCut;
    this.now = now;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.share.total;
  }

  /**
   * Begins to count for one response to a caller, by its key or address.
   *
   * @param cut ends the response; `release` may be called later, or at once
   */
  begin(address: string, cut: () => void): ResponseReservation {
    return new HeldResponse(this, clientKey(address), cut);
  }

  /** Adds to what is held of a response, the first bytes of which add it; or says why not. */
  add(held: HeldResponse, bytes: number): LimitRejection | undefined {
    const rejected = this.makeRoom(held.client, bytes);
    if (rejected !== undefined) return rejected;
    if (held.list === undefined) this.hold(held);
    held.bytes += bytes;
    this.share.add(held.client, bytes);
    return undefined;
  }

  wasRead(held: HeldResponse): void {
    const { list } = held;
    if (list === undefined) return;
    held.readAt = this.now();
    // to the end of the order
    list.remove(held);
    list.push(held);
  }

  remove(held: HeldResponse): void {
    const { list, client, bytes } = held;
    if (list === undefined) return;
    this.share.remove(client, bytes);
    held.bytes = 0;
    list.remove(held);
    if (list.first === undefined) this.lists.delete(client);
    held.list = undefined;
  }

  private hold(held: HeldResponse): void {
    const list = this.lists.get(held.client) ?? new LinkedList<HeldResponse>();
    this.lists.set(held.client, list);
    held.list = list;
    held.readAt = this.now();
    list.push(held);
  }

  private makeRoom(client: string, bytes: number): LimitRejection | undefined {
    const { heldResponseBytes: limit } = this.limits;
    const { share } = this;
    // one is always sent, however large
    while (share.heldBy(client) > 0 && share.heldBy(client) + bytes > limit / 2) {
      if (!this.cutFirst(client, this.now() - UNREAD_MS)) return tooManyOfClient(limit);
    }
    while (share.total > 0 && share.total + bytes > limit) {
      if (!this.cutFirst(share.loser(client, bytes))) return tooMany(limit);
    }
    return undefined;
  }

  /** Cuts what a client has not read for the longest time, if that was last read before `before`. */
  private cutFirst(client: string | undefined, before: number = Number.POSITIVE_INFINITY): boolean {
    const first = client === undefined ? undefined : this.lists.get(client)?.first;
    if (first === undefined || first.readAt > before) return false;
    this.onCut();
    first.cut();
    return true;
  }
}

function tooManyOfClient(limit: number): LimitRejection {
  const text = `responses that the client has not read take more than half of the limit heldResponseBytes, ${limit} bytes; read them, and try again later`;
  const error = gatewayError("CALLS_EXCEEDED", text, Code.ResourceExhausted, [retryInfo(RETRY_MS)]);
  return { limit: "heldResponseBytes", error };
}

function tooMany(limit: number): LimitRejection {
  const text = `responses that clients have not read take more than the limit heldResponseBytes, ${limit} bytes; try again later`;
  const error = gatewayError("OVERLOADED", text, Code.Unavailable, [retryInfo(RETRY_MS)]);
  return { limit: "heldResponseBytes", error };
}
