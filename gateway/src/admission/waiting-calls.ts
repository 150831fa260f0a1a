import { FairShare } from "connect-rest-runtime/internal";

/** What waits, and what it waits for. */
export interface Waiting {
  readonly client: string;
  /**
   * Those of one line are taken in the order in which they came: same client, same upstream,
   * same kind of call.
   */
  readonly line: string;
}

/** Calls that wait, in a line for each client and what it waits for. */
export class WaitingCalls<W extends Waiting> {
  private readonly lines = new Map<string, Set<W>>();
  private readonly clients: FairShare;

  /** @param limit how many may wait */
  constructor(limit: () => number) {
    this.clients = new FairShare(limit);
  }

  get size(): number {
    return this.clients.total;
  }

  /** How many clients wait. */
  get waitingClients(): number {
    return this.clients.callers;
  }

  /** How many calls of a client wait. */
  of(client: string): number {
    return this.clients.heldBy(client);
  }

  add(waiting: W): void {
    const line = this.lines.get(waiting.line) ?? new Set();
    this.lines.set(waiting.line, line.add(waiting));
    this.clients.add(waiting.client);
  }

  /** Returns whether it was waiting. */
  remove(waiting: W): boolean {
    const line = this.lines.get(waiting.line);
    if (line?.delete(waiting) !== true) return false;
    if (line.size === 0) this.lines.delete(waiting.line);
    this.clients.remove(waiting.client);
    return true;
  }

  /** The first of every line; a line is older than another whose first came later. */
  *heads(): Generator<W> {
    for (const line of this.lines.values()) {
      const [first] = line;
      if (first !== undefined) yield first;
    }
  }

  /** The call that gives its place to one of a client: the newest one of the client that has the most. */
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
