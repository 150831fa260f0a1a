import { Code } from "@connectrpc/connect";
import { FairShare } from "connect-rest-runtime/internal";
import { clientKey } from "../call/client-key.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import type { Limits } from "../limits.ts";
import { retryInfo } from "./limit-rejection.ts";
import { type Linked, LinkedList } from "./linked-list.ts";

/** The retry delay, in milliseconds: about the time that a client takes to read a large message. */
const RETRY_MS = 1000;

/**
 * The time, in milliseconds, after which an unread response may be cut to make room for other responses to
 * the same client.
 */
const UNREAD_MS = 1000;

/** The memory that a response occupies until its client has read it. */
export interface ResponseReservation {
  /**
   * Counts bytes before they are sent. Over the limit, first cuts unread responses of clients that hold more.
   *
   * @returns undefined if the bytes may be sent, else the rejection: RESOURCE_EXHAUSTED if the client holds
   *   half of `heldResponseBytes`, UNAVAILABLE if all clients together reach the limit
   */
  add(bytes: number): LimitRejection | undefined;
  /** Records that the client has read part of the response. */
  wasRead(): void;
  /** Releases all counted bytes, because the client has read them or they were dropped. */
  release(): void;
}

/**
 * A response that holds bytes. A class is cheaper than closures, and one object is created for each call.
 * Responses are ordered by the time at which their client last read from them.
 */
class HeldResponse implements ResponseReservation, Linked<HeldResponse> {
  before: HeldResponse | undefined;
  behind: HeldResponse | undefined;
  readonly client: string;
  bytes = 0;
  /** By `performance.now()`. */
  readAt = 0;
  /** The list of the client's responses; set while this response holds bytes. */
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
 * Limits the memory of responses that wait for their clients to read them: one message per unary call or
 * stream. Over the limit, the client that holds the most bytes loses the response that has been unread for
 * longest. Clients that do not read, or read slowly, therefore block nobody else. The gateway's own pages are
 * not counted, because all requests share one copy.
 */
export class HeldResponses {
  private readonly limits: Pick<Limits, "heldResponseBytes">;
  private readonly onCut: () => void;
  private readonly now: () => number;
  private readonly lists = new Map<string, LinkedList<HeldResponse>>();
  private readonly share: FairShare;

  /** @param onCut called for each response that is cut to make room */
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

  /** The bytes currently held. */
  get held(): number {
    return this.share.total;
  }

  /**
   * Starts counting for one response to a caller, identified by its key or address.
   *
   * @param cut ends the response; `release` may be called later or synchronously
   */
  begin(address: string, cut: () => void): ResponseReservation {
    return new HeldResponse(this, clientKey(address), cut);
  }

  /**
   * Counts bytes of a response, and adds the response to its list when its first bytes arrive. Returns the
   * rejection if the bytes may not be sent.
   */
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
    // move the response to the end of the order
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
    // one response is always sent, however large
    while (share.heldBy(client) > 0 && share.heldBy(client) + bytes > limit / 2) {
      if (!this.cutFirst(client, this.now() - UNREAD_MS)) return tooManyOfClient(limit);
    }
    while (share.total > 0 && share.total + bytes > limit) {
      if (!this.cutFirst(share.loser(client, bytes))) return tooMany(limit);
    }
    return undefined;
  }

  /** Cuts the client's response that has been unread for longest, if its last read was before `before`. */
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
