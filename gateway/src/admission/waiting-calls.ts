import { Counts } from "./slots.ts";

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
  private readonly clients = new Counts();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** How many clients wait. */
  get waitingClients(): number {
    return this.clients.size;
  }

  /** How many calls of a client wait. */
  of(client: string): number {
    return this.clients.of(client);
  }

  add(waiting: W): void {
    const line = this.lines.get(waiting.line) ?? new Set();
    this.lines.set(waiting.line, line.add(waiting));
    this.clients.add(waiting.client);
    this.count += 1;
  }

  /** Returns whether it was waiting. */
  remove(waiting: W): boolean {
    const line = this.lines.get(waiting.line);
    if (line?.delete(waiting) !== true) return false;
    if (line.size === 0) this.lines.delete(waiting.line);
    this.clients.remove(waiting.client);
    this.count -= 1;
    return true;
  }

  /** The first of every line; a line is older than another whose first came later. */
  *heads(): Generator<W> {
    for (const line of this.lines.values()) {
      const [first] = line;
      if (first !== undefined) yield first;
    }
  }

  /** The newest call of the client that has the most waiting. */
  newestOfMost(): W | undefined {
    const { most } = this.clients;
    let newest: W | undefined;
    for (const line of this.lines.values()) {
      const last = [...line].at(-1);
      if (last?.client === most) newest = last;
    }
    return newest;
  }
}
