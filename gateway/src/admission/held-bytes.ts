import { Code } from "@connectrpc/connect";
import { gatewayError } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import { retryInfo } from "./refused.ts";

/** When to call again, in milliseconds: about as long as a large message takes to arrive and be served. */
const RETRY_MS = 1000;

/** What a call holds of its request. */
export interface Hold {
  /**
   * Counts bytes that arrived.
   *
   * @throws ConnectError UNAVAILABLE beyond `heldRequestBytes`, RESOURCE_EXHAUSTED where one client has half of it
   */
  add(bytes: number): void;
  /** Nothing is held any more. */
  release(): void;
}

/**
 * The bytes of single request messages that are in memory, of all calls: as many calls as may run, each with the largest
 * message there may be, would be more than the process has. What streams of a client send passes through and is not counted.
 */
export class HeldBytes {
  private readonly limits: Pick<Limits, "heldRequestBytes">;
  private readonly byClient = new Map<string, number>();
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
    let own = 0;
    return {
      add: (bytes) => {
        this.check(client, bytes);
        own += bytes;
        this.count(client, bytes);
      },
      release: () => {
        this.count(client, -own);
        own = 0;
      },
    };
  }

  private check(client: string, bytes: number): void {
    const { heldRequestBytes: limit } = this.limits;
    const ofClient = (this.byClient.get(client) ?? 0) + bytes;
    if (ofClient > limit / 2) {
      const text = `the client's requests take ${ofClient} bytes, more than half of the limit heldRequestBytes, ${limit}; try again later`;
      throw gatewayError("CALLS_EXCEEDED", text, Code.ResourceExhausted, [retryInfo(RETRY_MS)]);
    }
    if (this.total + bytes > limit) {
      const text = `requests take more bytes than the limit heldRequestBytes, ${limit}; try again later`;
      throw gatewayError("OVERLOADED", text, Code.Unavailable, [retryInfo(RETRY_MS)]);
    }
  }

  private count(client: string, bytes: number): void {
    this.total += bytes;
    const left = (this.byClient.get(client) ?? 0) + bytes;
    if (left === 0) {
      this.byClient.delete(client);
    } else {
      this.byClient.set(client, left);
    }
  }
}
