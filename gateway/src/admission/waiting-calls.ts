import { FairShare } from "connect-rest-runtime/internal";

/** A waiting call. */
export interface Waiting {
  readonly client: string;
  /**
   * Identifies the client, the upstream and the kind of call. Calls in the same line run in the order of
   * their arrival.
   */
  readonly line: string;
}

/** The waiting calls, in one line for each client, upstream and kind of call. */
export class WaitingCalls<W extends Waiting> {
  private readonly lines = new Map<string, Set<W>>();
  private readonly clients: FairShare;

  /** @param limit returns the maximum number of waiting calls */
  constructor(limit: () => number) {
    this.clients = new FairShare(limit);
  }

  get size(): number {
    return this.clients.total;
  }

  /** The number of clients with waiting calls. */
  get waitingClients(): number {
    return this.clients.callers;
  }

  /** Returns the number of waiting calls of a client. */
  of(client: string): number {
    return this.clients.heldBy(client);
  }

  add(waiting: W): void {
    const line = this.lines.get(waiting.line) ?? new Set();
    this.lines.set(waiting.line, line.add(waiting));
    this.clients.add(waiting.client);
  }

  /** Removes a call and returns whether it was waiting. */
  remove(waiting: W): boolean {
    const line = this.lines.get(waiting.line);
    if (line?.delete(waiting) !== true) return false;
    if (line.size === 0) this.lines.delete(waiting.line);
    this.clients.remove(waiting.client);
    return true;
  }

  /** Yields the first call of every line, in the order in which the lines were created. */
  *heads(): Generator<W> {
    for (const line of this.lines.values()) {
      const [first] = line;
      if (first !== undefined) yield first;
    }
  }

  /** Returns the call to displace for a client: the newest call of the client with the most waiting calls. */
  loser(client: string): W | undefined {
    const loser = this.clients.loser(client);
    if (loser === undefined) return undefined;
    let newest: W | undefined;
    for (const line of this.lines.values()) {
      const last = [...line].at(-1);
      if (last?.client === loser) newest = last;
    }
    return newest;
  }
}
